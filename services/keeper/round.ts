// One round of the loop over the partitions held: take, step, commit, publish (design section 3). All partitions with work share
// a round, so that one commit serves many; a refused subject is read and stepped again within the round.
import type { SubjectDocument } from '#shared/contracts/subject.ts'
import { parsePushedObservationId } from '#shared/ids.ts'
import { limits } from '#shared/limits.ts'
import { writeCheckpoint } from './checkpoint.ts'
import { commitDrafts } from './commit.ts'
import type { Core } from './core.ts'
import { type Draft, type Drafts, draftOf, isChanged, noDrafts, stepInputs } from './draft.ts'
import { logLife } from './life.ts'
import { loadSubjects, type Work } from './load-subjects.ts'
import { beginWork, isBegun, isWritten } from './outbox.ts'
import { armDeadline, type Partition, type Waiting } from './partition.ts'
import { publishPending } from './publish.ts'
import { momentOf, releasedAt } from './silence.ts'
import { windowEndOf } from './step/drive-window.ts'
import { nextDeadline } from './step/step.ts'
import { loadStoredReports } from './stored-reports.ts'

export interface Take {
  partition: Partition
  inputs: Waiting[]
  /** The newest stream sequence that is behind the partition once these inputs are committed. */
  takenTo: number
  /** Subjects whose documents are to be written in this round though no input asks for it. */
  flush: string[]
  /** Whether the checkpoint moves once everything of this round is written. */
  movesCheckpoint: boolean
}

/** How often a refused subject is read and stepped again within one round before the partition is opened anew. */
const triesInRound = 20

/**
 * Runs one round. Answers the partitions whose lease was too old to commit, and throws when none can go on with what is in memory:
 * in both cases what was taken is not committed, and the holder must open them anew.
 */
export async function runRound(core: Core, takes: readonly Take[], roundId: string): Promise<Set<Partition>> {
  core.metrics.rounds.inc()
  const lapsed = new Set<Partition>()
  let work: Work[] = takes.map(({ partition, inputs, flush }) => ({ partition, inputs, flush: [...flush] }))
  for (let attempt = 0; work.length > 0; attempt++) {
    if (attempt >= triesInRound) throw new Error(`subjects were refused ${triesInRound} times in one round`)
    const mayGoOn = () => work.some(({ partition }) => core.mayCommit(partition.number))
    await loadSubjects(core, work, mayGoOn)
    const reports = await loadStoredReports(
      core,
      work.flatMap(({ inputs }) => inputs.map(waiting => waiting.input)),
      mayGoOn,
    )
    const drafts = noDrafts(reports)
    for (const { partition, inputs, flush } of work) {
      // Closed while its subjects were read: they left the memory again, and must not look as if there were none.
      if (partition.state === 'closed') continue
      stepInputs(core, partition, inputs, drafts)
      for (const id of flush) draftFlush(core, partition, id, drafts)
    }
    const committed = await commitDrafts(core, drafts, `${roundId}.${attempt}`)
    for (const partition of committed.lapsed) lapsed.add(partition)
    noteReports(core, drafts, committed.done)
    await settle(core, committed.done, mayGoOn)
    work = committed.refused.map(draft => ({
      partition: draft.partition,
      inputs: draft.waiting,
      flush: draft.waiting.length === 0 ? [draft.id] : [],
    }))
  }
  for (const take of takes) if (!lapsed.has(take.partition)) await finish(core, take)
  return lapsed
}

/** Writes the document of a cached subject; one that is as it was committed needs no write. */
function draftFlush(core: Core, partition: Partition, id: string, drafts: Drafts): void {
  const entry = core.cache.get(id)
  if (entry === undefined || entry.subject === null) {
    partition.uncleared.delete(id)
    return
  }
  if (!entry.dirty && !partition.uncleared.has(id)) return
  const draft = draftOf(core, drafts, partition, id)
  draft.change = 'commit'
  // What it had to write was written before its children were removed: written again, it would stay for ever.
  if (partition.childless.has(id) && draft.subject !== null)
    draft.subject = { ...draft.subject, pending: draft.subject.pending.filter(isBegun) }
}

/** Notes in the memory of their subjects what was written of reports. */
function noteReports(core: Core, { pushed, series }: Drafts, done: readonly Draft[]): void {
  if (pushed.size === 0) return
  const committed = new Set(done.map(({ id }) => id))
  const memoryOf = (id: string) => (committed.has(id) ? core.cache.get(id)?.reports : null)
  for (const id of pushed.keys()) {
    const { subjectId, signalKey, observedAtUs } = parsePushedObservationId(id)
    memoryOf(subjectId)?.noteRow(signalKey, observedAtUs)
  }
  for (const one of series.values()) memoryOf(one.subjectId)?.noteSeries(one)
}

/** Takes committed drafts into memory, writes what they have pending, and lets the replies go. */
async function settle(core: Core, done: readonly Draft[], mayGoOn: () => boolean): Promise<void> {
  const changed = done.filter(isChanged)
  await publishPending(
    core,
    changed.map(draft => draft.subject),
    mayGoOn,
  )
  const now = core.clock.now()
  for (const draft of changed) logLife(core, core.cache.get(draft.id)?.subject ?? null, draft)
  for (const draft of done) remember(core, draft, now)
  for (const draft of done) for (const { waiting, reply } of draft.replies) waiting.respond?.(reply)
}

function remember(core: Core, draft: Draft, now: number): void {
  const { partition, id, subject } = draft
  if (subject === null || partition.state === 'closed') return
  if (draft.change !== 'nothing') rememberChanged(core, draft, now)
  const entry = core.cache.get(id)
  if (entry === undefined || entry.subject === null) return
  if (entry.subject.pending.some(isWritten) && !partition.uncleared.has(id)) partition.uncleared.set(id, now)
  const dueAt = entry.subject.dueAt
  if (entry.subject.deletedAt !== null && dueAt !== null && dueAt <= now) {
    core.removeTombstone(id)
    return
  }
  const isDue = dueAt !== null && dueAt <= now
  const armedAt = isDue ? overdueAt(core, draft, entry.subject) : lookedAt(entry.subject)
  if (armedAt !== null) armDeadline(partition, id, armedAt)
}

/**
 * When the next deadline is looked at. A monitor's silence has mostly moved on by then, because reports that say nothing new do not judge:
 * those share rounds.
 */
function lookedAt(subject: SubjectDocument): number | null {
  const { dueAt, rules } = subject
  if (dueAt === null || subject.kind === 'custom') return dueAt
  const isHold = windowEndOf(subject) === dueAt || rules.some(rule => rule.incident?.context.deadlineAt === dueAt)
  const { silenceGridMs } = limits.keeper
  return isHold ? dueAt : Math.ceil(dueAt / silenceGridMs) * silenceGridMs
}

/**
 * When a subject is looked at that is due already: what fell due in the midst of its commit at once. What its inputs have passed and left due
 * (a silence that is held back, a judgement that failed) waits for the release of silence, and keeps no hold waiting that ends before that.
 */
function overdueAt({ clock }: Core, { partition, waiting }: Draft, subject: SubjectDocument): number {
  const passed = waiting.reduce((latest, { input }) => Math.max(latest, input.at), subject.judgedAt)
  const at = momentOf(clock)
  const released = releasedAt(partition.silence, at) ?? at.now + limits.keeper.silenceHoldOffMs
  return Math.min(released, nextDeadline(subject, passed) ?? released)
}

function rememberChanged(core: Core, { partition, id, subject, change }: Draft, now: number): void {
  if (subject === null) return
  const { reports = null } = core.cache.get(id) ?? {}
  if (change === 'freshness') {
    core.cache.set(id, { subject, dirty: true, reports })
    partition.dirty.add(id)
    partition.isFresher ||= subject.kind === 'custom'
    return
  }
  partition.dirty.delete(id)
  partition.uncleared.delete(id)
  partition.childless.delete(id)
  const left = subject.pending.filter(isBegun)
  if (subject.pending.length > left.length) partition.uncleared.set(id, now)
  beginWork(core, subject)
  core.cache.set(id, { subject: { ...subject, pending: left }, dirty: false, reports })
}

/** Moves the partition on: what this round took is committed. */
async function finish(core: Core, { partition, inputs, takenTo, movesCheckpoint }: Take): Promise<void> {
  // Closed in the midst of the round: nothing of it is in memory any more, so nothing may be left behind either.
  if (partition.state === 'closed') return
  const now = core.clock.now()
  const counts = { result: 0, command: 0, deadline: 0 }
  for (const { input } of inputs) {
    counts[input.kind]++
    if (input.kind === 'result') partition.messageAt = Math.max(partition.messageAt, input.stampedAt)
  }
  for (const kind of ['result', 'command', 'deadline'] as const)
    if (counts[kind] > 0) core.metrics.inputs.inc({ kind }, counts[kind])
  partition.sequence = Math.max(partition.sequence, takenTo)
  const last = inputs[inputs.length - 1]
  if (last !== undefined) core.metrics.judgingLag.observe(Math.max(0, now - last.input.at) / 1_000)
  if (movesCheckpoint) await writeCheckpoint(core, partition, now)
}
