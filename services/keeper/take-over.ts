// Opening a partition: what its last holder left is finished, the deadlines are loaded, and the stream is read on from the
// checkpoint (design section 3, Checkpoint, Order and time, Memory).

import { Compile } from 'typebox/compile'
import type { StreamMessage } from '#shared/bus/port.ts'
import { keys } from '#shared/bus/subjects.ts'
import { CheckResult } from '#shared/contracts/check.ts'
import type { SubjectDocument } from '#shared/contracts/subject.ts'
import { firstFault } from '#shared/first-fault.ts'
import { limits, minute } from '#shared/limits.ts'
import type { CheckpointDocument } from '#shared/store/collections.ts'
import { pagesOf } from '#shared/store/pages.ts'
import type { Query } from '#shared/store/port.ts'
import { writeCheck } from './check-entries.ts'
import { type Core, persistWhile } from './core.ts'
import { fallDeaf, hearAgain } from './deafness.ts'
import { beginWork, isWritten } from './outbox.ts'
import { armDeadline, type Partition, resultInput } from './partition.ts'
import { publishPending } from './publish.ts'
import { createSentTime } from './sent-time.ts'
import { heedCheckpoint, momentOf } from './silence.ts'
import { entryOf } from './step/website-commands.ts'

const pageSize = 1_000
const checkResult = Compile(CheckResult)

/** Prepares a partition for its new holder. It then is catching up, or live at once when nothing waits in the stream. */
export async function takeOver(core: Core, partition: Partition, onBroken: (reason: string) => void): Promise<void> {
  const mayGoOn = () => partition.state !== 'closed' && core.mayCommit(partition.number)
  const place = [keys.lease(partition.number)]
  const [checkpoint] = await persistWhile(core, mayGoOn, 'read a checkpoint', () => core.store.get('checkpoints', place))
  const { freshness, ...position } = checkpoint ?? {}
  partition.checkpoint = checkpoint ? (position as CheckpointDocument) : null
  partition.gaps = checkpoint?.gaps ?? 0
  for (const one of freshness ?? []) partition.freshness.set(one[0], one)
  heedCheckpoint(partition.silence, partition.checkpoint, momentOf(core.clock))
  await Promise.all([finishPending(core, partition, mayGoOn), loadDeadlines(core, partition, mayGoOn)])
  await reconcileChecks(core, partition, mayGoOn)
  await openFeed(core, partition, mayGoOn, onBroken)
}

/** Verifies the checkpoint against the stream and reads on from it; where the stream is another or shorter, from its time less a minute. */
export async function openFeed(
  core: Core,
  partition: Partition,
  mayGoOn: () => boolean,
  onBroken: (reason: string) => void,
): Promise<void> {
  const stream = core.bus.observations
  let askedAt = 0
  const state = await persistWhile(core, mayGoOn, 'look at the stream', () => {
    askedAt = core.clock.now()
    return stream.state()
  })
  const known = partition.checkpoint
  const isSame = known !== null && known.streamCreatedAt === state.createdAt && known.sequence <= state.lastSequence
  if (known !== null && !isSame) countGap(core, partition, 'the stream is another or shorter than the checkpoint')
  partition.sequence = isSame ? known.sequence : 0
  partition.messageAt = known?.messageAt ?? 0
  partition.streamCreatedAt = state.createdAt
  partition.sentTime = createSentTime(core.clock, state.askedAt === null ? 0 : askedAt - state.askedAt)
  partition.results.length = 0
  partition.receivedTo = partition.sequence
  // By time, not by sequence: a stream that was cut and has grown again gives old sequences to new reports.
  const knownAt = known === null ? 0 : Math.max(0, isSame ? known.messageAt : known.messageAt - minute)
  // Where the bus's clock was set back, what came last is stamped earlier: no instant tells where it begins.
  const since = state.lastAt < knownAt ? 0 : knownAt
  const from = since === 0 ? { sequence: partition.sequence + 1 } : { time: since }
  partition.catchUpTo = await persistWhile(core, mayGoOn, 'look at the stream', () =>
    stream.lastSequenceOf(partition.number, since),
  )
  if (isClosed(partition)) return
  partition.state = 'catching-up'
  const isCommitted = ({ sequence, at }: StreamMessage) => isSame && sequence <= known.sequence && at <= known.messageAt
  const onMessage = (message: StreamMessage) => isCommitted(message) || receive(core, partition, message)
  const onDeaf = (forMs: number) => fallDeaf(partition, 'feed', core.clock.now() - forMs)
  const onHearing = () => {
    hearAgain(partition, 'feed', core.clock.now())
    core.wake()
  }
  const feed = await persistWhile(core, mayGoOn, 'open the feed', () =>
    stream.open({ partition: partition.number, from, onMessage, onBroken, onDeaf, onHearing }),
  )
  // Closed while it was being opened: nobody else could close it.
  if (isClosed(partition)) return await feed.close()
  partition.feed = feed
  core.wake()
}

const isClosed = ({ state }: Partition): boolean => state === 'closed'

function receive(core: Core, partition: Partition, message: StreamMessage): boolean {
  const waiting = checkResult.Check(message.body) ? resultInput(message, message.body, partition) : null
  partition.receivedTo = Math.max(partition.receivedTo, message.sequence)
  if (waiting !== null) partition.results.push(waiting)
  else core.junk.note(locationOf(message.subject), whyNone(message.body))
  const isPassed = waiting?.input.kind === 'result' && waiting.input.result.ok
  partition.isUrgent ||= !isPassed
  if (isPassed && partition.state === 'live' && partition.results.length < limits.keeper.gatherResults) core.wakeSoon()
  else core.wake()
  return partition.results.length < limits.keeper.feedBacklog
}

/** Of a message that may be no observation at all. */
const locationOf = (subject: string): string => subject.split('.')[2]?.slice(0, 64) ?? ''

const whyNone = (body: unknown): string =>
  checkResult.Check(body) ? 'its subject is none of its partition' : firstFault(checkResult, body, 'the result')

export function countGap(core: Core, partition: Partition, reason: string): void {
  partition.gaps++
  core.metrics.gaps.inc()
  core.logger.warn({ partition: partition.number, reason }, 'reports may be missing')
}

/** What the last holder committed and did not get to write elsewhere. */
async function finishPending(core: Core, partition: Partition, mayGoOn: () => boolean): Promise<void> {
  const query: Query = { where: { hasPending: 1, partition: partition.number }, limit: pageSize }
  for await (const page of subjectPages(core, mayGoOn, query)) {
    await publishPending(core, page, mayGoOn)
    for (const subject of page) {
      beginWork(core, subject)
      if (subject.pending.some(isWritten)) partition.uncleared.set(subject.id, core.clock.now())
    }
  }
}

async function loadDeadlines(core: Core, partition: Partition, mayGoOn: () => boolean): Promise<void> {
  const query: Query = {
    where: { partition: partition.number, dueAt: { gte: 0 } },
    sort: [['dueAt', 'asc']],
    limit: pageSize,
    select: ['dueAt', 'rev'],
  }
  for await (const page of subjectPages(core, mayGoOn, query)) for (const subject of page) armFresh(partition, subject)
}

/** Where the checkpoint speaks of this very document, its instant is the later and true one. */
function armFresh(partition: Partition, { id, rev, dueAt }: Pick<SubjectDocument, 'id' | 'rev' | 'dueAt'>): void {
  const freshness = partition.freshness.get(id)
  const armedAt = freshness !== undefined && freshness[1] === rev ? freshness[3] : dueAt
  if (armedAt !== null) armDeadline(partition, id, armedAt)
}

/** The check entries of the partition say what its subjects say: missing or older ones are written, strays removed. */
async function reconcileChecks(core: Core, partition: Partition, mayGoOn: () => boolean): Promise<void> {
  const bucket = core.bus.bucket('checks')
  const entries = await persistWhile(core, mayGoOn, 'list check entries', () =>
    bucket.list(keys.checksOfPartition(partition.number)),
  )
  const stored = new Map(entries.map(entry => [entry.key, (entry.value as { rev?: number } | null)?.rev ?? 0]))
  const lacking = new Set<string>()
  const query: Query = {
    where: { partition: partition.number, deletedAt: null },
    limit: pageSize,
    select: ['checkRev', 'checkLocations'],
  }
  for await (const page of subjectPages(core, mayGoOn, query)) {
    for (const { id, checkRev, checkLocations } of page) {
      for (const locationId of checkLocations) {
        const key = keys.check(locationId, id)
        if ((stored.get(key) ?? 0) < (checkRev ?? 0)) lacking.add(id)
        stored.delete(key)
      }
    }
  }
  const strays = [...stored.keys()]
  for (const key of strays) await persistWhile(core, mayGoOn, 'remove a stray check entry', () => bucket.delete(key))
  await writeLacking(core, [...lacking], mayGoOn)
  if (strays.length + lacking.size > 0) {
    const counts = { partition: partition.number, removed: strays.length, written: lacking.size }
    core.logger.info(counts, 'check entries reconciled')
  }
}

async function writeLacking(core: Core, ids: string[], mayGoOn: () => boolean): Promise<void> {
  for (let start = 0; start < ids.length; start += pageSize) {
    const page = await persistWhile(core, mayGoOn, 'read subjects', () =>
      core.store.get('subjects', ids.slice(start, start + pageSize)),
    )
    const writes = page.flatMap(subject => {
      if (subject === null || subject.deletedAt !== null || subject.checkRev === null || subject.check === null) return []
      const { id, checkRev: rev, check } = subject
      return subject.checkLocations.map(locationId =>
        writeCheck(core, id, { mode: 'check', locationId, rev, entry: entryOf(check, rev) }, mayGoOn),
      )
    })
    await Promise.all(writes)
  }
}

const subjectPages = (core: Core, mayGoOn: () => boolean, query: Query) =>
  pagesOf(query, page => persistWhile(core, mayGoOn, 'read subjects', () => core.store.find('subjects', page)))
