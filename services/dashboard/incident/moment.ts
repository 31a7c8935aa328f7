// The moment of an incident's history that a page shows: the present, or the instant of a record. Drawing, slider, timeline and evidence
// show the same moment. Pure.
import type { IncidentRecordObject, IncidentRecordsPage } from '#shared/contracts/session/session-incidents.ts'
import { countdown } from '../data/format.ts'
import { type Life, lifeOf, shareOf } from '../drawing/life.ts'

type Outlook = IncidentRecordsPage['outlook']

export interface Moment {
  index: number
  record: IncidentRecordObject
  /** Instant of the moment, ms: now, or the instant of the record. */
  at: number
  isLive: boolean
}

/**
 * `sequence`: sequence of the chosen record; null: the present. Returns null if there are no records. For an unknown sequence,
 * returns the last record before this sequence. If there is none, returns the first record.
 */
export function momentAt(records: readonly IncidentRecordObject[], sequence: number | null, now: number): Moment | null {
  const found = sequence === null ? records.length - 1 : records.findLastIndex(one => one.sequence <= sequence)
  const index = Math.max(0, found)
  const record = records[index]
  if (record === undefined) return null
  const isLive = sequence === null
  return { index, record, at: isLive ? now : Date.parse(record.event_at), isLive }
}

/** Text before the countdown of a deadline, by the name of the state that has the deadline. */
const waits: Readonly<Record<string, string>> = {
  pending: 'confirmed in',
  problem: 'reminder in',
  noData: 'message in',
  recovering: 'closes in',
}

/**
 * Returns the marks of the drawing. If `moment` is the present, `outlook` says which arrows are marked as possible next transitions. If it
 * is an earlier record, the arrow of the record after it is marked.
 */
export function lifeAt(records: readonly IncidentRecordObject[], moment: Moment, outlook: Outlook): Life {
  const { index, record, at, isLive } = moment
  const states = records.slice(0, index + 1).map(({ state }) => state)
  const next = isLive ? (outlook?.by_time?.to ?? null) : (records[index + 1]?.state ?? null)
  const deadline = record.deadline_at === null ? null : Date.parse(record.deadline_at)
  const word = waits[record.state]
  if (deadline === null || word === undefined) return lifeOf(states, next, null)
  const text = `${word} ${countdown(deadline - at)}`
  return lifeOf(states, next, { text, share: shareOf(Date.parse(record.event_at), deadline, at) })
}
