// One partition as its holder sees it: what waits, what is due, how far it has come. It decides nothing; rounds do.
import type { Feed, StreamMessage, Subscription } from '#shared/bus/port.ts'
import { parseObservation } from '#shared/bus/subjects.ts'
import type { Clock } from '#shared/clock.ts'
import type { CheckResult } from '#shared/contracts/check.ts'
import type { Freshness } from '#shared/contracts/freshness.ts'
import type { Reply } from '#shared/contracts/reply.ts'
import { type Due, DueHeap } from '#shared/due-heap.ts'
import { limits } from '#shared/limits.ts'
import type { CheckpointDocument } from '#shared/store/collections.ts'
import { type Deafness, mayPassTime } from './deafness.ts'
import { createSentTime, type SentTime } from './sent-time.ts'
import { type Moment, releasedAt, type Silence, silenceAfter } from './silence.ts'
import type { Input } from './step/types.ts'

/** An input that waits, with what must happen once it is committed. */
export interface Waiting {
  input: Input
  /** Stream sequence of a result; 0 for everything else. */
  sequence: number
  respond: ((reply: Reply) => void) | null
}

interface DueSubject extends Due {
  subjectId: string
}

export interface Partition extends Deafness {
  readonly number: number
  /** Whether reports to it are taken, and from when on nobody is newly called silent. */
  readonly silence: Silence
  /** opening: nothing is stepped yet. catching-up: results only. live: everything. closed: never again. */
  state: 'opening' | 'catching-up' | 'live' | 'closed'
  readonly results: Waiting[]
  readonly commands: Waiting[]
  /** Subjects by the instant at which time alone changes something, and where each stands in it. */
  readonly due: DueHeap<DueSubject>
  readonly dueOf: Map<string, DueSubject>
  /** The newest sequence whose effects are committed (freshness may still be in memory), and its stream time. */
  sequence: number
  messageAt: number
  /** When the reports of the present stream were sent. */
  sentTime: SentTime
  /** The newest sequence that the feed has delivered. */
  receivedTo: number
  /** The partition is live once this sequence is committed. */
  catchUpTo: number
  /** The checkpoint as it is stored; null: none yet. */
  checkpoint: CheckpointDocument | null
  streamCreatedAt: string
  gaps: number
  checkpointDueAt: number
  /** A report of a failed check waits. */
  isUrgent: boolean
  /** Subjects that are fresher in memory than in their documents. */
  readonly dirty: Set<string>
  /** Senders have made one of them fresher since the checkpoint was written. */
  isFresher: boolean
  /** What was fresher than the documents of subjects that are not in memory (again). */
  readonly freshness: Map<string, Freshness>
  /** Subjects whose stored `pending` is written but not cleared yet, and since when. */
  readonly uncleared: Map<string, number>
  /** Deleted subjects of which nothing is left but the tombstone. */
  readonly childless: Set<string>
  /** The round that it is in; null: none. */
  round: Promise<void> | null
  /** When its latest round began, on the monotonic clock. */
  roundSince: number
  feed: Feed | null
  commandSubscription: Subscription | null
}

export function openPartition(
  number: number,
  clock: Pick<Clock, 'now'>,
  silence: Silence = silenceAfter({ vacantMs: 0, notes: {} }, { now: clock.now(), monotonic: 0 }),
): Partition {
  const now = clock.now()
  const share = (number / limits.partitions) * limits.keeper.checkpointMs
  return {
    number,
    silence,
    state: 'opening',
    results: [],
    commands: [],
    due: new DueHeap(),
    dueOf: new Map(),
    sequence: 0,
    messageAt: 0,
    sentTime: createSentTime(clock),
    receivedTo: 0,
    catchUpTo: 0,
    checkpoint: null,
    streamCreatedAt: '',
    gaps: 0,
    checkpointDueAt: now + share,
    isUrgent: false,
    dirty: new Set(),
    isFresher: false,
    freshness: new Map(),
    uncleared: new Map(),
    childless: new Set(),
    deafSince: new Map(),
    settledAt: 0,
    round: null,
    roundSince: 0,
    feed: null,
    commandSubscription: null,
  }
}

/** A report as an input; null where its subject is none of this partition (the owner recomputes it). */
export function resultInput(message: StreamMessage, result: CheckResult, partition: Partition): Waiting | null {
  const address = parseObservation(message.subject)
  if (address === null || address.partition !== partition.number) return null
  const { subjectId, locationId } = address
  const at = partition.sentTime(message, message.sequence > partition.catchUpTo) - result.ageMs
  return {
    input: { kind: 'result', subjectId, at, stampedAt: message.at, locationId, result },
    sequence: message.sequence,
    respond: null,
  }
}

/**
 * Takes what one round may step: results in stream order, commands, then the deadlines that are due. While results wait
 * beyond this round, only deadlines up to the first of them are taken, so that no deadline overtakes a report.
 */
export function takeInputs(partition: Partition, now: number, isBusConnected: boolean): { inputs: Waiting[]; takenTo: number } {
  const taken = partition.results.splice(0, limits.keeper.inputsPerRound)
  if (partition.results.length === 0) partition.isUrgent = false
  const takenTo = partition.results.length === 0 ? partition.receivedTo : (taken[taken.length - 1]?.sequence ?? 0)
  if (partition.results.length < limits.keeper.feedBacklog / 2) partition.feed?.resume()
  if (partition.state !== 'live') return { inputs: taken, takenTo }
  taken.push(...partition.commands.splice(0, Math.max(0, limits.keeper.inputsPerRound - taken.length)))
  const firstWaiting = partition.results[0]
  const until = firstWaiting === undefined ? now : Math.min(now, firstWaiting.input.at)
  if (mayPassDeadlines(partition, isBusConnected, now)) takeDeadlines(partition, until, taken)
  return { inputs: taken, takenTo }
}

/** Reports may wait where nobody reads: no deadline overtakes them. */
const mayPassDeadlines = (partition: Partition, isBusConnected: boolean, now: number): boolean =>
  isBusConnected && partition.feed !== null && mayPassTime(partition, now)

function takeDeadlines(partition: Partition, until: number, taken: Waiting[]): void {
  while (taken.length < limits.keeper.inputsPerRound) {
    const dueAt = dueAtOf(partition)
    if (dueAt === null || dueAt > until) return
    const due = partition.due.first()
    if (due === undefined) return
    partition.due.remove(due)
    partition.dueOf.delete(due.subjectId)
    taken.push({ input: { kind: 'deadline', subjectId: due.subjectId, at: until }, sequence: 0, respond: null })
  }
}

/**
 * Whether anything waits that somebody waits for: a failure, a command, a deadline, or so many reports that they fill a batch. Reports
 * of passed checks can wait a moment for others, so that one commit serves many.
 */
export function hasUrgentWork(partition: Partition, now: number, isBusConnected: boolean): boolean {
  if (partition.results.length > 0 && partition.state === 'catching-up') return true
  if (partition.results.length >= limits.keeper.gatherResults || (partition.isUrgent && partition.results.length > 0)) return true
  return hasCommandsOrDeadlines(partition, now, isBusConnected)
}

/** Whether anything waits that a round could take now. */
export function hasWork(partition: Partition, now: number, isBusConnected: boolean): boolean {
  if (partition.results.length > 0) return partition.state === 'live' || partition.state === 'catching-up'
  return hasCommandsOrDeadlines(partition, now, isBusConnected)
}

function hasCommandsOrDeadlines(partition: Partition, now: number, isBusConnected: boolean): boolean {
  if (partition.state !== 'live') return false
  if (partition.commands.length > 0) return true
  const dueAt = dueAtOf(partition)
  return dueAt !== null && dueAt <= now && mayPassDeadlines(partition, isBusConnected, now)
}

/** The next instant at which time alone gives this partition work; null: none. */
export function nextWorkAt(partition: Partition, isBusConnected: boolean, at: Moment): number | null {
  if (partition.state !== 'live') return null
  const isRead = isBusConnected && partition.feed !== null && partition.deafSince.size === 0
  const dueAt = isRead ? dueAtOf(partition) : null
  const instants = [dueAt === null ? null : Math.max(dueAt, partition.settledAt), releasedAt(partition.silence, at)]
  if (isMoved(partition)) instants.push(partition.checkpointDueAt)
  for (const since of partition.uncleared.values()) {
    instants.push(since + limits.keeper.pendingMs)
    break
  }
  const known = instants.filter(instant => instant !== null)
  return known.length === 0 ? null : Math.min(...known)
}

/** Whether the partition has come further than its stored checkpoint says. */
export function isMoved(partition: Partition): boolean {
  const { checkpoint, sequence, streamCreatedAt, isFresher } = partition
  if (isFresher) return true
  if (checkpoint === null) return sequence > 0
  return checkpoint.sequence !== sequence || checkpoint.streamCreatedAt !== streamCreatedAt
}

/** The earliest deadline of the partition's subjects; null: none. */
export const dueAtOf = (partition: Partition): number | null => partition.due.first()?.dueAt ?? null

/** Moves it to an earlier instant alone: whoever takes one that comes too early looks up what is true by then. */
export function armDeadline({ due, dueOf }: Partition, subjectId: string, dueAt: number): void {
  const known = dueOf.get(subjectId)
  if (known !== undefined && known.dueAt <= dueAt) return
  const item = known ?? { subjectId, dueAt, place: -1 }
  dueOf.set(subjectId, item)
  due.put(item, dueAt)
}
