// Types of route records of the session API, with the rights that a caller needs.
import type { TObject } from 'typebox'
import type { SentJson } from '../../body/json-body.ts'
import type { Call } from '../../http/answer.ts'
import type { Needs, Route, StatedRoute } from '../../http/route.ts'
import type { SessionContext, VisitorCall } from './session-call.ts'
import type { SessionErrorWord } from './session-error.ts'

interface Json {
  /** Reads the body at the first call; later calls return the same result. Rejects with the fault of the body. */
  json(): Promise<SentJson>
}

type SessionRoute<Found, Body extends TObject, Caller extends Call> = StatedRoute<
  Route<Found, Body, SessionContext, Caller, SessionErrorWord>
>

/** Creates a route record. TypeScript infers `Found` and `Body` from the members of the record. */
export const route = <Found, Body extends TObject>(
  method: Route['method'],
  path: string,
  record: SessionRoute<Found, Body, VisitorCall & Json>,
): Route => ({ refusals: [], ...record, method, path })

/** Creates the record of a route that needs no sign-in. */
export const openRoute = <Found, Body extends TObject>(
  method: Route['method'],
  path: string,
  record: Omit<SessionRoute<Found, Body, Call>, 'needs'>,
): Route => ({ refusals: [], ...record, needs: needs('nobody'), method, path })

/** Returns the rights that a caller needs. The scope is `full`, because a session has the rights of a full key. */
const needs = (role: Needs['role']): Needs => ({ role, scope: 'full' })
export const signedIn = needs('anybody')
export const member = needs('viewer')
export const editor = needs('editor')
export const owner = needs('owner')
export const admin = needs('admin')
