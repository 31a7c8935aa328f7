// Earlier numbers that a round reads for baselines. If a running median is in memory, the round reads only the numbers that have become too
// old for the median.

import type { Template } from '#shared/contracts/resources/template.ts'
import type { SubjectDocument } from '#shared/contracts/subjects/subject.ts'
import { hour, limits } from '#shared/limits/limits.ts'
import { baselineDaysOn } from '#shared/manifest/decision-reads.ts'
import { endOfPrefix, parsePushedObservationId, pushedPrefix } from '#shared/text/ids.ts'
import { ownMember } from '#shared/text/own-member.ts'
import type { KeeperContext } from '../context.ts'
import { baselineFromUs } from '../step/judging/baselines.ts'
import type { RunningMedian } from '../step/judging/running-median.ts'
import { KnownBaseline, type NumbersInOrder } from '../step/judging/signal-numbers.ts'
import { readNumbers } from './rebind-history.ts'
import type { ReportMemory } from './report-memory.ts'

/** The newest report of a signal, if its subject has no other report in the round. */
interface NewestReport {
  memory: ReportMemory
  signalKey: string
  days: number
  atUs: number
  /** Key of the id that the sender gave the report; null: the sender gave no id. */
  placeKey: string | null
}

/** Numbers to read for baselines. The keys of the maps are prefixes of a signal's row ids. */
export interface WantedNumbers {
  /** Instant from which a signal's numbers are read, µs. */
  numbers: Map<string, number>
  /** Reports for which the median in memory suffices. */
  newestReports: Map<string, NewestReport>
}

interface Reported {
  subject: SubjectDocument
  template: Template
  signal: { key: string; slug: string }
  /** Earliest instant at which the report may count, µs (v3 7.7). */
  atUs: number
  placeKey: string | null
  /**
   * Memory of the subject's reports. Null: the memory does not suffice, because other inputs of the round may need the signal's numbers.
   */
  memory: ReportMemory | null
}

/** Adds a read of the numbers that a signal's baselines need for this report. */
export function addNumbers({ subject, template, signal, atUs, placeKey, memory }: Reported, wanted: WantedNumbers): void {
  if (subject.templated === null) return
  const days = baselineDaysOn(template, signal.slug)
  const [length] = days
  if (length === undefined) return
  const knownUs = ownMember(subject.templated.heard, signal.slug)?.recent[0]?.atUs ?? Number.NEGATIVE_INFINITY
  const fromUs = baselineFromUs(Math.max(knownUs, atUs), Math.max(...days))
  const prefix = pushedPrefix(subject.id, signal.key)
  wanted.numbers.set(prefix, Math.min(fromUs, wanted.numbers.get(prefix) ?? fromUs))
  if (memory === null || days.length > 1 || atUs <= knownUs) return
  wanted.newestReports.set(prefix, { memory, signalKey: signal.key, days: length, atUs, placeKey })
}

/** Reads the numbers of a signal. `isKnown` returns true if the sender's id with this key is stored already. */
export async function numbersOf(
  { store, clock }: KeeperContext,
  [prefix, fromUs]: readonly [string, number],
  { newestReports }: WantedNumbers,
  isKnown: (placeKey: string) => boolean,
): Promise<NumbersInOrder> {
  const report = newestReports.get(prefix)
  // A repeated Observation keeps the instant of its stored row, so it may not be the newest report.
  if (report === undefined || (report.placeKey !== null && isKnown(report.placeKey))) return readNumbers(store, prefix, fromUs)
  const { memory, signalKey, days, atUs } = report
  const oldestUs = (clock.now() - limits.retention.pushedMs + hour) * 1_000
  const median = memory.median(signalKey)
  // The median in memory is used only if all its rows stay in the store for at least another hour.
  if (median !== null && median.days === days && median.fromUs >= oldestUs) {
    await learnLeaving(store, prefix, median, fromUs)
    const baseline = median.baselineOf(fromUs, atUs)
    if (baseline !== null) return new KnownBaseline(fromUs, atUs, baseline)
  }
  const numbers = await readNumbers(store, prefix, fromUs)
  memory.keepMedian(signalKey, fromUs >= oldestUs ? numbers.running(days, fromUs) : null)
  return numbers
}

/**
 * Reads the numbers that have become too old for the median, with at most one short read. If that read cannot return all of them, the
 * median is computed from all rows.
 */
async function learnLeaving(store: KeeperContext['store'], prefix: string, median: RunningMedian, fromUs: number): Promise<void> {
  const sinceUs = median.learnFromUs(fromUs)
  if (sinceUs === null) return
  const { subjectId, signalKey } = parsePushedObservationId(prefix)
  const id = { gte: pushedPrefix(subjectId, signalKey, sinceUs), lt: endOfPrefix(prefix) }
  const sort = [['id', 'asc']] as const
  const limit = limits.keeper.numbersLeaving + 1
  const rows = await store.find('pushedObservations', { where: { id }, sort, limit, select: ['value'] })
  const instantsUs = rows.map(row => parsePushedObservationId(row.id).observedAtUs)
  median.learnLeaving({ instantsUs, values: rows.map(({ value }) => value) })
}
