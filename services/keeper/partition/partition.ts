// Partition in the memory of its holder: waiting inputs, deadlines, position, freshness and silence. Decides nothing; the rounds decide.

import type { StreamMessage } from '#shared/bus/port.ts'
import { parseObservation } from '#shared/bus/subjects.ts'
import type { CheckResult } from '#shared/contracts/observations/check.ts'
import type { Freshness } from '#shared/contracts/observations/freshness.ts'
import { limits } from '#shared/limits/limits.ts'
import type { Clock } from '#shared/time/clock.ts'
import { type Deadlines, firstDueAt, noDeadlines, takeDue } from './deadlines.ts'
import { type Deafness, hearing, mayPassTime } from './deafness.ts'
import { type Inbox, isEmpty, openInbox, takeResults, type Waiting } from './inbox.ts'
import { isPastCheckpoint, type Position, startPosition } from './position.ts'
import { type Moment, releasedAt, type Silence, silenceAfter } from './silence.ts'
import type { TakenRow } from './take-over-reads.ts'

export interface Partition {
  readonly number: number
  /**
   * `opening`: nothing is stepped. `catching-up`: only results are stepped. `live`: all inputs are stepped. `closed`: nothing is stepped.
   */
  state: 'opening' | 'catching-up' | 'live' | 'closed'
  readonly inbox: Inbox
  readonly deadlines: Deadlines
  readonly position: Position
  readonly fresh: FreshSubjects
  readonly outboxes: Outboxes
  /** Record of whether the system accepts reports to the partition, with the instant up to which silence counts. */
  readonly silence: Silence
  readonly deafness: Deafness
  /** Subjects that the take-over has found whose checks not every prober makes. They are looked at when the partition becomes live. */
  specialChecks: readonly TakenRow[]
  /** The round that the partition is in; null: none. */
  round: Promise<void> | null
  /** Start of the partition's latest round on the monotonic clock, ms. */
  roundSince: number
}

export function openPartition(
  number: number,
  clock: Pick<Clock, 'now'>,
  silence: Silence = silenceAfter({ vacantMs: 0, notes: {} }, { now: clock.now(), monotonic: 0 }, true),
): Partition {
  return {
    number,
    state: 'opening',
    inbox: openInbox(),
    deadlines: noDeadlines(),
    position: startPosition(number, clock),
    fresh: noFreshness(clock.now()),
    outboxes: { uncleared: new Map(), childless: new Set() },
    silence,
    deafness: hearing(),
    specialChecks: [],
    round: null,
    roundSince: 0,
  }
}

/** Returns a report as an input. Null: the report's subject does not belong to this partition. */
export function resultInput(message: StreamMessage, result: CheckResult, { number, position }: Partition): Waiting | null {
  const address = parseObservation(message.subject, message.body)
  if (address === null || address.partition !== number) return null
  const { subjectId, locationId } = address
  const at = position.sentTime(message, message.sequence > position.catchUpTo) - result.ageMs
  return {
    input: { kind: 'result', subjectId, at, stampedAt: message.at, locationId, result },
    sequence: message.sequence,
    respond: null,
  }
}

/**
 * Takes the inputs of one round: results in stream order, commands, then due deadlines. If more results wait than one round may take, takes
 * only deadlines before the first result left over, so that no deadline overtakes a report.
 */
export function takeInputs(partition: Partition, now: number, isBusConnected: boolean): { inputs: Waiting[]; takenTo: number } {
  const { inbox, deadlines } = partition
  const { taken, takenTo } = takeResults(inbox)
  if (partition.state !== 'live') return { inputs: taken, takenTo }
  const room = () => Math.max(0, limits.keeper.inputsPerRound - taken.length)
  taken.push(...inbox.commands.splice(0, room()))
  const until = Math.min(now, inbox.results[0]?.input.at ?? now)
  if (mayPassDeadlines(partition, isBusConnected, now))
    for (const subjectId of takeDue(deadlines, until, room()))
      taken.push({ input: { kind: 'deadline', subjectId, at: until }, sequence: 0, respond: null })
  return { inputs: taken, takenTo }
}

/** Returns whether deadlines may be handled. Deadlines wait as long as the stream may have unread reports. */
const mayPassDeadlines = ({ inbox, deafness }: Partition, isBusConnected: boolean, now: number): boolean =>
  isBusConnected && inbox.feed !== null && mayPassTime(deafness, now)

/**
 * Returns whether a failure, a command, a deadline or a full batch of reports waits. Reports of passed checks can wait a moment, so that
 * one commit serves many reports.
 */
export function hasUrgentWork(partition: Partition, now: number, isBusConnected: boolean): boolean {
  const { results, isUrgent } = partition.inbox
  if (results.length > 0 && (partition.state === 'catching-up' || isUrgent)) return true
  return results.length >= limits.keeper.gatherResults || hasCommandsOrDeadlines(partition, now, isBusConnected)
}

/** Returns true if there is an input or a write that a round can take now. */
export function hasWork(partition: Partition, now: number, isBusConnected: boolean): boolean {
  if (partition.inbox.results.length > 0) return partition.state === 'live' || partition.state === 'catching-up'
  return hasCommandsOrDeadlines(partition, now, isBusConnected)
}

function hasCommandsOrDeadlines(partition: Partition, now: number, isBusConnected: boolean): boolean {
  if (partition.state !== 'live') return false
  if (partition.inbox.commands.length > 0) return true
  const dueAt = firstDueAt(partition.deadlines)
  return dueAt !== null && dueAt <= now && mayPassDeadlines(partition, isBusConnected, now)
}

/** Returns the next instant at which time alone creates work for this partition, ms since the epoch; null: none. */
export function nextWorkAt(partition: Partition, isBusConnected: boolean, at: Moment): number | null {
  if (partition.state !== 'live') return null
  const { inbox, deadlines, deafness, outboxes, position, silence } = partition
  const isRead = isBusConnected && inbox.feed !== null && deafness.deafSince.size === 0
  const dueAt = isRead ? firstDueAt(deadlines) : null
  const since = unclearedSince(outboxes)
  const instants = [
    dueAt === null ? null : Math.max(dueAt, deafness.settledAt),
    releasedAt(silence, at),
    isMoved(partition) ? position.checkpointDueAt : null,
    since === null ? null : since + limits.keeper.outboxMs,
  ]
  const known = instants.filter(instant => instant !== null)
  return known.length === 0 ? null : Math.min(...known)
}

/** Returns whether the partition has advanced since its stored checkpoint. */
export const isMoved = ({ fresh, position }: Partition): boolean => fresh.isAhead || isPastCheckpoint(position)

/** Returns whether no input waits to be stepped and no document waits to be written. */
export const isSettled = (partition: Partition): boolean =>
  isEmpty(partition.inbox) && partition.outboxes.uncleared.size === 0 && !isMoved(partition)

export interface FreshSubjects {
  /** Ids of cached subjects that are newer in memory than in the store. */
  readonly dirty: Set<string>
  /** True if a sender's report has changed a subject in memory since the checkpoint was written. */
  isAhead: boolean
  /** Checkpointed readings of subjects that are not in memory, by id. They are merged when the subject is next loaded. */
  readonly checkpointed: Map<string, Freshness>
  /** Ids of subjects with readings that no part of the checkpoint has. */
  readonly changed: Set<string>
  /** Number of records in the first parts of the checkpoint, which had all readings, and in the later parts. */
  inBase: number
  inLater: number
  /** True if the store has no part of an earlier checkpoint, and this keeper has made none since. */
  isSwept: boolean
  /** Instant of the take-over, or of the newest sign that another keeper has written a subject of the partition, ms since the epoch. */
  strayedAt: number
  /** Ids whose stored revisions are asked in the next checkpoints, `share` of them at a time. */
  unasked: string[]
  share: number
}

const noFreshness = (now: number): FreshSubjects => ({
  dirty: new Set(),
  isAhead: false,
  checkpointed: new Map(),
  changed: new Set(),
  inBase: 0,
  inLater: 0,
  isSwept: false,
  strayedAt: now,
  unasked: [],
  share: 0,
})

/** Records that a cached subject is newer in memory than in the store and in the checkpoint. */
export function markFresh({ dirty, changed }: FreshSubjects, id: string): void {
  dirty.add(id)
  changed.add(id)
}

/** Records that a subject is stored as it is in memory. */
export function markStored({ dirty, changed }: FreshSubjects, id: string): void {
  dirty.delete(id)
  changed.delete(id)
}

/** Returns the number of subjects whose readings a checkpoint must keep. */
export const freshCount = ({ dirty, checkpointed }: FreshSubjects): number => dirty.size + checkpointed.size

export interface Outboxes {
  /**
   * Instant at which a subject's outbox was written elsewhere, ms since the epoch, by subject id. Contains only outboxes that are not
   * cleared yet.
   */
  readonly uncleared: Map<string, number>
  /** Ids of deleted subjects whose children are removed. Only the tombstone remains. */
  readonly childless: Set<string>
}

/** Returns the earliest instant in `uncleared`, ms since the epoch; null: all outboxes are cleared. */
function unclearedSince({ uncleared }: Outboxes): number | null {
  for (const since of uncleared.values()) return since
  return null
}
