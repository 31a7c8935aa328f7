// The built-in body of a message (spec D 2): the attachments that chat services read, and for a plain webhook the incident
// as data. Pure; made once per delivery and then frozen.
import type { AlertDocument, AlertKind } from '#shared/contracts/alert.ts'
import type { DestinationDocument } from '#shared/contracts/destination.ts'
import { type IncidentObject, incidentObject } from './incident-object.ts'
import {
  endLineOf,
  errorOf,
  extentOf,
  lastedOf,
  linkOf,
  ruleLineOf,
  silenceLinesOf,
  subjectOf,
  testWords,
  titleOf,
} from './words.ts'

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
  const guard = guardFor(destination)
  const body: Body = {
    ...(destination.type === 'slack' && destination.channel !== '' ? { channel: `#${destination.channel}` } : {}),
    attachments: [
      {
        author_name: productName,
        title: titleOf(alert.kind, guard(subjectOf(alert))),
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

function textLines(alert: AlertDocument, context: BodyContext, guard: Guard): string[] {
  const lines = [
    alert.facts.isTest ? testWords : '',
    extentOf(alert, id => guard(context.locationName(id))),
    alert.facts.isTest ? '' : errorLine(alert, guard),
    durationLine(alert),
    guard(ruleLineOf(alert)),
    ...silenceLinesOf(alert),
    endLineOf(alert),
    `<${linkOf(alert, context.publicUrl)}|View timeline>`,
  ]
  return lines.filter(line => line !== '')
}

/** A back-tick inside would end the quotation, so it becomes an apostrophe. */
function errorLine(alert: AlertDocument, guard: Guard): string {
  const error = errorOf(alert).replaceAll('`', "'")
  return error === '' ? '' : `\`${guard(error)}\``
}

function durationLine(alert: AlertDocument): string {
  const lasted = lastedOf(alert)
  if (alert.kind === 'recovery') return `It was down for ${lasted}.`
  return alert.reminder ? `Down for ${lasted} so far.` : `Down for ${lasted} before we alerted.`
}

/** How foreign text is made safe for this receiver; a plain webhook gets it as it is. */
export const guardFor = ({ type }: Pick<DestinationDocument, 'type'>): Guard => (type === 'slack' ? escapeForSlack : text => text)

/** Slack reads `<…>` as links and mentions even inside quotations: foreign text must not reach people that way. */
const escapeForSlack = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
