// Round over the partitions held: take, step, commit, publish. Partitions with work share a round, so that one commit serves several
// partitions. A refused subject is read and stepped again within the round.
import type { Reply } from '#shared/contracts/ask/reply.ts'
import type { SubjectDocument } from '#shared/contracts/subjects/subject.ts'
import { limits } from '#shared/limits/limits.ts'
import { parsePushedObservationId } from '#shared/text/ids.ts'
import type { KeeperContext } from '../context.ts'
import { logLife } from '../life.ts'
import { loadSubjects, type Work } from '../loading/load-subjects.ts'
import { loadStoredReports } from '../loading/stored-reports.ts'
import { writeCheckpoint } from '../partition/checkpoint.ts'
import { armDeadline } from '../partition/deadlines.ts'
import type { Waiting } from '../partition/inbox.ts'
import { markFresh, markStored, type Partition } from '../partition/partition.ts'
import { momentOf, releasedAt } from '../partition/silence.ts'
import { windowEndOf } from '../step/incidents/drive-window.ts'
import { nextDeadline } from '../step/step.ts'
import { type Committed, commitDrafts } from './commit.ts'
import { type Draft, type Drafts, draftOf, isChanged, noDrafts, stepInputs } from './draft.ts'
import { beginWork, isBegun, isWritten } from './outbox.ts'
import { publishOutbox } from './publish.ts'

export interface Take {
  partition: Partition
  inputs: Waiting[]
  /** New position of the partition in the stream once these inputs are committed. */
  takenTo: number
  /** Ids of subjects to be written in this round although no input changes them. */
  flush: string[]
  /** True if the checkpoint moves once all documents of this round are written. */
  movesCheckpoint: boolean
}

const notCommitted: Committed = { done: [], refused: [], lapsed: [], isRepeated: true }

/**
 * Maximum number of times that a refused subject is read and stepped again within one round. After the last attempt, the partition is
 * reopened.
 */
const triesInRound = 20

/**
 * Runs one round. Returns the partitions whose lease was too old to commit: their inputs are not committed, and the host must reopen them.
 * Throws if the memory of all partitions can no longer be trusted: no input is committed, and the host must reopen all partitions.
 */
export async function runRound(context: KeeperContext, takes: readonly Take[], roundId: string): Promise<Set<Partition>> {
  context.metrics.rounds.inc()
  const lapsed = new Set<Partition>()
  let work: Work[] = takes.map(({ partition, inputs, flush }) => ({ partition, inputs, flush: [...flush] }))
  let readsPlaces = context.sentIdReads.isOn()
  for (let attempt = 0; work.length > 0; attempt++) {
    if (attempt >= triesInRound) throw new Error(`subjects were refused ${triesInRound} times in one round`)
    const mayGoOn = () => work.some(({ partition }) => context.mayCommit(partition.number))
    await loadSubjects(context, work, mayGoOn)
    const reports = await loadStoredReports(
      context,
      work.flatMap(({ inputs }) => inputs.map(waiting => waiting.input)),
      { mayGoOn, readsPlaces },
    )
    const drafts = noDrafts(reports)
    for (const { partition, inputs, flush } of work) {
      // If the partition was closed while its subjects were read, they are no longer in memory. They must not count as absent from the
      // store.
      if (partition.state === 'closed') continue
      stepInputs(context, partition, inputs, drafts)
      for (const id of flush) draftFlush(context, partition, id, drafts)
    }
    const committed = reports.lacksPlaces() ? notCommitted : await commitDrafts(context, drafts, `${roundId}.${attempt}`)
    for (const partition of committed.lapsed) lapsed.add(partition)
    // The store may now have ids that this round wrote, so the next try looks up senders' ids.
    readsPlaces = true
    if (committed.isRepeated) {
      context.sentIdReads.begin()
      work = work.filter(({ partition }) => !lapsed.has(partition))
      continue
    }
    noteReports(context, drafts, committed.done)
    await settle(context, committed.done, mayGoOn)
    work = committed.refused.map(draft => ({
      partition: draft.partition,
      inputs: draft.waiting,
      flush: draft.waiting.length === 0 ? [draft.id] : [],
    }))
  }
  // The checkpoints are written together, so that a round with many of them waits for the store about once.
  const finished = await Promise.allSettled(
    takes.filter(({ partition }) => !lapsed.has(partition)).map(take => finish(context, take)),
  )
  const failed = finished.find(one => one.status === 'rejected')
  if (failed !== undefined) throw failed.reason
  return lapsed
}

/** Adds the document of a cached subject to the writes. An unchanged subject needs no write. */
function draftFlush(context: KeeperContext, partition: Partition, id: string, drafts: Drafts): void {
  const entry = context.cache.get(id)
  if (entry === undefined || entry.subject === null) {
    partition.outboxes.uncleared.delete(id)
    return
  }
  if (!entry.dirty && !partition.outboxes.uncleared.has(id)) return
  const draft = draftOf(context, drafts, partition, id)
  draft.change = 'commit'
  // The outbox documents were written and then removed with the children. If they were written again, they would stay for ever.
  if (partition.outboxes.childless.has(id) && draft.subject !== null)
    draft.subject = { ...draft.subject, outbox: draft.subject.outbox.filter(isBegun) }
}

/** Records the written rows and series in the memory of their subjects. */
function noteReports(context: KeeperContext, { pushed, series }: Drafts, done: readonly Draft[]): void {
  if (pushed.size === 0) return
  const committed = new Set(done.map(({ id }) => id))
  const memoryOf = (id: string) => (committed.has(id) ? context.cache.get(id)?.reports : null)
  for (const { id, value } of pushed.values()) {
    const { subjectId, signalKey, observedAtUs } = parsePushedObservationId(id)
    memoryOf(subjectId)?.noteRow(signalKey, observedAtUs, value)
  }
  for (const one of series.values()) memoryOf(one.subjectId)?.noteSeries(one)
}

/** Puts committed drafts into the cache, writes their outboxes, and sends the replies. */
async function settle(context: KeeperContext, done: readonly Draft[], mayGoOn: () => boolean): Promise<void> {
  const changed = done.filter(isChanged)
  await publishOutbox(
    context,
    changed.map(draft => draft.subject),
    mayGoOn,
  )
  const now = context.clock.now()
  for (const draft of changed) logLife(context, context.cache.get(draft.id)?.subject ?? null, draft)
  for (const draft of done) remember(context, draft, now)
  context.readingWatch.heed(done)
  for (const draft of done) for (const { waiting, reply } of draft.replies) respond(context, draft, waiting, reply)
}

/** Sends a reply. After a trial of a rule, new readings of the rule's subject are published for a while. */
function respond(context: KeeperContext, { subject }: Draft, { input, respond: send }: Waiting, reply: Reply): void {
  if (input.kind === 'command' && input.command.kind === 'try-rule' && reply.ok && subject !== null)
    context.readingWatch.watch(subject)
  send?.(reply)
}

function remember(context: KeeperContext, draft: Draft, now: number): void {
  const { partition, id, subject } = draft
  if (subject === null || partition.state === 'closed') return
  if (draft.change !== 'nothing') rememberChanged(context, draft, now)
  const entry = context.cache.get(id)
  if (entry === undefined || entry.subject === null) return
  if (entry.subject.outbox.some(isWritten) && !partition.outboxes.uncleared.has(id)) partition.outboxes.uncleared.set(id, now)
  const dueAt = entry.subject.dueAt
  if (entry.subject.deletedAt !== null && dueAt !== null && dueAt <= now) {
    context.removeTombstone(id)
    return
  }
  const isDue = dueAt !== null && dueAt <= now
  const armedAt = isDue ? overdueAt(context, draft, entry.subject) : lookedAt(entry.subject)
  if (armedAt !== null) armDeadline(partition.deadlines, id, armedAt)
}

/**
 * Returns the instant at which the subject's deadline is next checked. The silence deadline of a monitor is checked a little late, at the
 * next instant of a common grid. By then a report has usually moved the deadline, and the checks of many monitors share a round.
 */
function lookedAt(subject: SubjectDocument): number | null {
  const { dueAt, rules } = subject
  if (dueAt === null || subject.kind === 'custom') return dueAt
  const isHold = windowEndOf(subject) === dueAt || rules.some(rule => rule.incident?.context.deadlineAt === dueAt)
  const { silenceGridMs } = limits.keeper
  return isHold ? dueAt : Math.ceil(dueAt / silenceGridMs) * silenceGridMs
}

/**
 * Returns the instant at which a subject that is already due is stepped again. A deadline that became due during the commit is handled at
 * once. A deadline stays due if its silence is held back or its judgement failed. The subject is then stepped when silence counts again, or
 * at its next deadline if this deadline is earlier.
 */
function overdueAt({ clock }: KeeperContext, { partition, waiting }: Draft, subject: SubjectDocument): number {
  const passed = waiting.reduce((latest, { input }) => Math.max(latest, input.at), subject.judgedAt)
  const at = momentOf(clock)
  const released = releasedAt(partition.silence, at) ?? at.now + limits.keeper.silenceHoldOffMs
  return Math.min(released, nextDeadline(subject, passed) ?? released)
}

function rememberChanged(context: KeeperContext, { partition, id, subject, change }: Draft, now: number): void {
  if (subject === null) return
  const { reports = null } = context.cache.get(id) ?? {}
  if (change === 'freshness') {
    context.cache.set(id, { subject, dirty: true, reports })
    markFresh(partition.fresh, id)
    partition.fresh.isAhead ||= subject.kind === 'custom'
    return
  }
  markStored(partition.fresh, id)
  partition.outboxes.uncleared.delete(id)
  partition.outboxes.childless.delete(id)
  const left = subject.outbox.filter(isBegun)
  if (subject.outbox.length > left.length) partition.outboxes.uncleared.set(id, now)
  beginWork(context, subject)
  context.cache.set(id, { subject: { ...subject, outbox: left }, dirty: false, reports })
}

/** Advances the partition after the inputs that this round took are committed. */
async function finish(context: KeeperContext, { partition, inputs, takenTo, movesCheckpoint }: Take): Promise<void> {
  // If the partition was closed during the round, its memory is dropped, and nothing may be stored in it.
  if (partition.state === 'closed') return
  const now = context.clock.now()
  const counts = { result: 0, command: 0, deadline: 0 }
  for (const { input } of inputs) {
    counts[input.kind]++
    if (input.kind === 'result') partition.position.messageAt = Math.max(partition.position.messageAt, input.stampedAt)
  }
  for (const kind of ['result', 'command', 'deadline'] as const)
    if (counts[kind] > 0) context.metrics.inputs.inc({ kind }, counts[kind])
  partition.position.sequence = Math.max(partition.position.sequence, takenTo)
  const last = inputs[inputs.length - 1]
  if (last !== undefined) context.metrics.judgingLag.observe(Math.max(0, now - last.input.at) / 1_000)
  if (movesCheckpoint) await writeCheckpoint(context, partition, now)
}
