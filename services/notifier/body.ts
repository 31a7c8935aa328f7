// The built-in body of a message (spec D 2): the attachments that chat services read, and for a plain webhook the incident
// as data. Pure; made once per delivery and then frozen.
import type { AlertDocument, AlertKind } from '#shared/contracts/alert.ts'
import type { DestinationDocument } from '#shared/contracts/destination.ts'
import { humanDuration } from '#shared/durations.ts'
import { limits } from '#shared/limits.ts'
import { type IncidentObject, incidentObject } from './incident-object.ts'
import { oneLine } from './plain-text.ts'

const productName = 'Watchkeeper'

export interface BodyContext {
  /** The dashboard's address without a trailing slash. */
  publicUrl: string
  /** The public id of an internal incident id. */
  encodeIncidentId(internalId: string): string
  /** The name of a location; its id where the location is gone. */
  locationName(locationId: string): string
}

interface Body {
  channel?: string
  attachments: [{ author_name: string; title: string; color: string; text: string; footer: string; timestamp: number }]
  incident?: IncidentObject
}

/** Makes foreign text safe for the kind of receiver. */
type Guard = (text: string) => string

const colors: Record<AlertKind, string> = { problem: '#d50201', no_data: '#f0ad4e', recovery: '#2eb887' }

/** The exact text that is sent, as JSON. */
export function builtInBody(
  alert: AlertDocument,
  destination: Pick<DestinationDocument, 'type' | 'channel'>,
  context: BodyContext,
): string {
  const guard: Guard = destination.type === 'slack' ? escapeForSlack : (text: string) => text
  const body: Body = {
    ...(destination.type === 'slack' && destination.channel !== '' ? { channel: `#${destination.channel}` } : {}),
    attachments: [
      {
        author_name: productName,
        title: titleOf(alert.kind, guard(alert.facts.subjectName)),
        color: colors[alert.kind],
        text: textLines(alert, context, guard).join('\n'),
        footer: productName,
        timestamp: Math.floor(alert.decidedAt / 1_000),
      },
    ],
    ...(destination.type === 'webhook' ? { incident: incidentObject(alert, context.encodeIncidentId(alert.incidentId)) } : {}),
  }
  return JSON.stringify(body)
}

const titleOf = (kind: AlertKind, name: string): string =>
  ({ problem: `${name} is down`, no_data: `${name} — no data`, recovery: `${name} is back up` })[kind]

function textLines(alert: AlertDocument, context: BodyContext, guard: Guard): string[] {
  const link = `<${context.publicUrl}/subjects/${encodeURIComponent(alert.subjectId)}|View timeline>`
  return [...locationsLine(alert, context, guard), ...errorLine(alert, guard), durationLine(alert), link]
}

/** Left out with one location, where it would say nothing. */
function locationsLine({ kind, facts }: AlertDocument, context: BodyContext, guard: Guard): string[] {
  const total = facts.failing.length + facts.unknown.length + facts.ok.length
  if (total < 2) return []
  if (kind === 'no_data' && facts.unknown.length > 0) return [`No reports from ${facts.unknown.length} of ${total} locations`]
  if (kind !== 'problem' || facts.failing.length === 0) return []
  const names = facts.failing.map(id => guard(oneLine(context.locationName(id), limits.notifier.errorCharacters)))
  return [`Failing from ${names.length} of ${total} locations — ${names.join(', ')}`]
}

/** A recovery quotes no error. A back-tick inside would end the quotation, so it becomes an apostrophe. */
function errorLine({ kind, facts }: AlertDocument, guard: Guard): string[] {
  const error = kind === 'recovery' ? '' : oneLine(facts.error.replaceAll('`', "'"), limits.notifier.errorCharacters)
  return error === '' ? [] : [`\`${guard(error)}\``]
}

function durationLine({ kind, reminder, decidedAt, facts }: AlertDocument): string {
  if (kind === 'recovery') return `It was down for ${humanDuration((facts.closedAt ?? decidedAt) - facts.troubleSince)}.`
  const soFar = humanDuration(decidedAt - facts.troubleSince)
  return reminder ? `Down for ${soFar} so far.` : `Down for ${soFar} before we alerted.`
}

/** Slack reads `<…>` as links and mentions even inside quotations: foreign text must not reach people that way. */
const escapeForSlack = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
