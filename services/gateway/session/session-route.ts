// Types of a route of the session API, and who may call it.
import type { TObject } from 'typebox'
import type { Call } from '../answer.ts'
import type { SentJson } from '../json-body.ts'
import type { Needs, Route } from '../route.ts'
import type { SessionContext, VisitorCall } from './session-call.ts'
import type { SessionErrorWord } from './session-error.ts'

interface Json {
  /** The body, read once; rejects with what is wrong with it. */
  json(): Promise<SentJson>
}

/** Infers the types of a record's parts from each other. */
export const route = <Found, Body extends TObject>(
  record: Route<Found, Body, SessionContext, VisitorCall & Json, SessionErrorWord>,
): Route => record

/** A route that nobody has to sign in for. */
export const openRoute = <Found, Body extends TObject>(
  record: Omit<Route<Found, Body, SessionContext, Call, SessionErrorWord>, 'needs'>,
): Route => ({ ...record, needs: { role: 'nobody', scope: 'full' } })

/** A session is as good as a full key. */
const needs = (role: Needs['role']): Needs => ({ role, scope: 'full' })
export const signedIn = needs('anybody')
export const member = needs('viewer')
export const editor = needs('editor')
export const owner = needs('owner')
export const admin = needs('admin')
