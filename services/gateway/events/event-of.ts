// Converts news (messages of the bus about changes in a workspace) into events for browsers. Pure.
import type { News } from '#shared/contracts/news.ts'
import { type SessionEvent, type SessionEventData, sessionEvents } from '#shared/contracts/session/session-events.ts'
import type { IncidentIds } from '#shared/incidents/incident-ids.ts'
import { redactedText } from '#shared/secrecy/redacted-text.ts'
import { subjectOfIncident } from '#shared/text/ids.ts'
import { writerOf } from '../body/result-schema.ts'
import { monitorRow, type RowWords } from '../v3/monitors/monitor-row.ts'

/** An event for browsers. If several events with the same key wait to be sent, only the newest of them is sent. */
export type ToldEvent = { [E in SessionEvent]: { event: E; key: string; data: SessionEventData[E] } }[SessionEvent]

type Ids = Pick<IncidentIds, 'encode'>

/** Returns the event. Null: a newer version sent a kind of news that this version does not know. */
export function eventOf(news: News, words: RowWords): ToldEvent | null {
  if (news.kind === 'row') return { event: 'row', key: news.row.id, data: monitorRow(news.row, words) }
  if (news.kind === 'gone') return { event: 'gone', key: news.id, data: { id: news.id } }
  if (news.kind === 'transition') return incidentEvent(news.transition, words)
  if (news.kind === 'window') return windowEvent(news.window)
  if (news.kind === 'reading') return { event: 'reading', key: news.id, data: { monitor: news.id } }
  if (news.kind === 'template') return { event: 'template', key: news.template, data: { template: news.template } }
  if (news.kind === 'delivery') return deliveryEvent(news.delivery, words)
  return null
}

type Of<K extends News['kind']> = Extract<News, { kind: K }>

const writeIncident = writerOf(sessionEvents.incident)
const writeWindow = writerOf(sessionEvents.window)
const writeDelivery = writerOf(sessionEvents.delivery)

function incidentEvent(transition: Of<'transition'>['transition'], { encode }: Ids): ToldEvent {
  const { id, incidentId, subjectId, event, explanation } = transition
  const own = { id: encode(incidentId), monitor: subjectId, at: event.at, explanation: redactedText(explanation) }
  return { event: 'incident', key: id, data: writeIncident({ ...transition, ...own }) }
}

const windowEvent = (window: Of<'window'>['window']): ToldEvent => ({
  event: 'window',
  key: window.id,
  data: writeWindow({ ...window, monitor: window.subjectId }),
})

function deliveryEvent(delivery: Of<'delivery'>['delivery'], { encode }: Ids): ToldEvent {
  const { id, incidentId } = delivery
  const data = writeDelivery({ ...delivery, incident: encode(incidentId), monitor: subjectOfIncident(incidentId) })
  return { event: 'delivery', key: id, data }
}
