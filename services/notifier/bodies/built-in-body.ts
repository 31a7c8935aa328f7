// Built-in body of a message. It contains the attachments that chat services read; for a plain webhook it also contains the incident as
// data. Pure. Built once for each delivery. Rules: docs/notifications.md, and docs/reference/v3.md, 10.7 and 10.9.
import type { AlertDocument, AlertKind } from '#shared/contracts/incidents/alert.ts'
import type { DestinationDocument } from '#shared/contracts/notifications/destination.ts'
import { type IncidentObject, incidentObject } from './incident-object.ts'
import {
  actionOf,
  durationLineOf,
  endLineOf,
  errorOf,
  explanationOf,
  extentOf,
  type Guard,
  linkOf,
  reasonLinesOf,
  ruleLineOf,
  silenceLinesOf,
  testWords,
  titleOf,
} from './words.ts'

const productName = 'Watchkeeper'
/** Grey, the colour of neither a problem nor a recovery. */
const testColor = '#6b7280'

export interface BodyContext {
  /** Address of the dashboard without a trailing slash. */
  publicUrl: string
  /** Returns the public id of an internal incident id. */
  encodeIncidentId(internalId: string): string
  /** Returns the name of a location; its id if the location was deleted. */
  locationName(locationId: string): string
}

interface Body {
  channel?: string
  attachments: [{ author_name: string; title: string; color: string; text: string; footer: string; timestamp: number }]
  incident?: IncidentObject
}

const colors: Record<AlertKind, string> = {
  opened: '#f0ad4e',
  problem: '#d50201',
  no_data: '#f0ad4e',
  recovery: '#2eb887',
  acknowledged: '#4f46e5',
}

/** Returns the exact text to send, as JSON. */
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
        title: titleOf(alert, guard),
        color: alert.facts.isTest ? testColor : colors[alert.kind],
        text: textLines(alert, context, guard).join('\n'),
        footer: productName,
        timestamp: Math.floor(alert.decidedAt / 1_000),
      },
    ],
    ...(destination.type === 'webhook' ? { incident: incidentObject(alert, context.encodeIncidentId(alert.incidentId)) } : {}),
  }
  return JSON.stringify(body)
}

/**
 * For a rule of a Template, the text shows the rule's readings and the reasons that senders gave. For any other rule, the text shows the
 * failing locations and the error.
 */
function textLines(alert: AlertDocument, context: BodyContext, guard: Guard): string[] {
  const isOfTemplate = actionOf(alert) !== ''
  const about = isOfTemplate
    ? [
        quoted(explanationOf(alert), guard),
        ...reasonLinesOf(alert).map(guard),
        durationLineOf(alert, context.locationName, guard),
      ]
    : [
        alert.facts.isTest ? testWords : '',
        extentOf(alert, id => guard(context.locationName(id))),
        alert.facts.isTest ? '' : quoted(errorOf(alert), guard),
        durationLineOf(alert, context.locationName, guard),
        guard(ruleLineOf(alert)),
        ...silenceLinesOf(alert),
      ]
  const lines = [...about, endLineOf(alert), `<${linkOf(alert, context.publicUrl)}|View timeline>`]
  return lines.filter(line => line !== '')
}

/** Returns the text in back-ticks. A back-tick inside the text would end the quotation, so an apostrophe replaces it. */
function quoted(text: string, guard: Guard): string {
  return text === '' ? '' : `\`${guard(text.replaceAll('`', "'"))}\``
}

/** Returns the function that makes foreign text safe for the receiver. A plain webhook gets the text unchanged. */
export const guardFor = ({ type }: Pick<DestinationDocument, 'type'>): Guard => (type === 'slack' ? escapeForSlack : text => text)

/** Slack reads `<…>` as links and mentions even in quotations, so foreign text must not contain angle brackets. */
const escapeForSlack = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
