// Converts messages of the bus ("news") into events for browsers. Pure.
import type { News } from '#shared/contracts/news.ts'
import type { SessionEvent, SessionEventData } from '#shared/contracts/session/session-events.ts'
import type { IncidentIds } from '#shared/incidents/incident-ids.ts'
import { subjectOfIncident } from '#shared/text/ids.ts'
import { redactedText } from '#shared/text/redaction.ts'
import { timestamp, timestampOrNull } from '../../body/instants.ts'
import { monitorRow } from '../monitors/monitor-row.ts'

/** An event for browsers. Of events with the same key that are sent together, only the newest is kept. */
export type ToldEvent = { [E in SessionEvent]: { event: E; key: string; data: SessionEventData[E] } }[SessionEvent]

type Ids = Pick<IncidentIds, 'encode'>

/** Returns the event; null: this version does not know the kind of news. */
export function eventOf(news: News, ids: Ids): ToldEvent | null {
  if (news.kind === 'row') return { event: 'row', key: news.row.id, data: monitorRow(news.row, ids) }
  if (news.kind === 'gone') return { event: 'gone', key: news.id, data: { id: news.id } }
  if (news.kind === 'transition') return incidentEvent(news.transition, ids)
  if (news.kind === 'window') return windowEvent(news.window)
  if (news.kind === 'reading') return { event: 'reading', key: news.id, data: { monitor: news.id } }
  if (news.kind === 'template') return { event: 'template', key: news.template, data: { template: news.template } }
  if (news.kind === 'delivery') return deliveryEvent(news.delivery, ids)
  return null
}

type Of<K extends News['kind']> = Extract<News, { kind: K }>

function incidentEvent(transition: Of<'transition'>['transition'], { encode }: Ids): ToldEvent {
  const { id, incidentId, subjectId, sequence, kind, state, event, deadlineAt, explanation } = transition
  const data = {
    id: encode(incidentId),
    monitor: subjectId,
    sequence,
    kind,
    state,
    at: timestamp(event.at),
    deadline_at: timestampOrNull(deadlineAt),
    explanation: redactedText(explanation),
  }
  return { event: 'incident', key: id, data }
}

function windowEvent({ id, subjectId, state, startedAt, endsAt, cancelledAt, by }: Of<'window'>['window']): ToldEvent {
  const instants = { started_at: timestamp(startedAt), ends_at: timestamp(endsAt), cancelled_at: timestampOrNull(cancelledAt) }
  return { event: 'window', key: id, data: { monitor: subjectId, state, ...instants, by } }
}

function deliveryEvent(delivery: Of<'delivery'>['delivery'], { encode }: Ids): ToldEvent {
  const { id, incidentId, destinationId, destinationName, state, attempts, at } = delivery
  const data = {
    incident: encode(incidentId),
    monitor: subjectOfIncident(incidentId),
    destination_id: destinationId,
    destination_name: destinationName,
    state,
    attempts,
    at: timestamp(at),
  }
  return { event: 'delivery', key: id, data }
}
