// Take-over of a partition: finishes outboxes of the former holder, loads deadlines, and continues reading the stream after the checkpoint.

import { Compile } from 'typebox/schema'
import type { Semaphore } from '#shared/async/semaphore.ts'
import type { StreamMessage } from '#shared/bus/port.ts'
import { CheckResult } from '#shared/contracts/observations/check.ts'
import type { SubjectDocument } from '#shared/contracts/subjects/subject.ts'
import { limits, minute } from '#shared/limits/limits.ts'
import { pagesOf } from '#shared/store/pages.ts'
import type { Query } from '#shared/store/port.ts'
import { firstFault } from '#shared/text/first-fault.ts'
import { type KeeperContext, retryWhile } from '../context.ts'
import { createSentTime } from '../loading/sent-time.ts'
import { beginWork, isWritten } from '../round/outbox.ts'
import { publishOutbox } from '../round/publish.ts'
import type { CheckListing } from './check-listing.ts'
import { readCheckpoint } from './checkpoint.ts'
import { armDeadline } from './deadlines.ts'
import { fallDeaf, hearAgain } from './deafness.ts'
import { type Partition, resultInput } from './partition.ts'
import { agreeOnChecks } from './reconcile-checks.ts'
import { heedCheckpoint, momentOf } from './silence.ts'
import type { TakeOverReads } from './take-over-reads.ts'
import { withSpecialChecks } from './waiting-checks.ts'

const pageSize = 1_000
const checkResult = Compile(CheckResult)

/** What the take-overs of a keeper share. */
export interface TakeOverMeans {
  reads: TakeOverReads
  checks: CheckListing
  /** Bounds the partitions whose check entries are written at once. */
  atOnce: Semaphore
}

/** Prepares a partition for its new holder. The partition is then catching up, or live at once if no report waits in the stream. */
export async function takeOver(
  context: KeeperContext,
  partition: Partition,
  { reads, checks, atOnce }: TakeOverMeans,
  onBroken: (reason: string) => void,
): Promise<void> {
  const { number } = partition
  const mayGoOn = () => partition.state !== 'closed' && context.mayCommit(number)
  await readCheckpoint(context, partition, reads, mayGoOn)
  heedCheckpoint(partition.silence, partition.position.checkpoint, momentOf(context.clock))
  const [listed] = await Promise.all([checks.take(number), finishOutbox(context, partition, reads, mayGoOn)])
  // The subjects are read after the listing, so that the entry of a new subject is never taken for that of a removed one.
  const rows = await retryWhile(context, mayGoOn, 'read subjects', () => reads.rows(number))
  for (const row of rows) armFresh(partition, row)
  partition.specialChecks = withSpecialChecks(rows)
  const checked = rows.filter(({ deletedAt }) => deletedAt === null)
  await atOnce.run(() => agreeOnChecks(context, number, { listed, rows: [checked] }, mayGoOn))
  await openFeed(context, partition, reads, mayGoOn, onBroken)
}

/**
 * Verifies the checkpoint against the stream and reads on after the checkpoint. If the stream was replaced or cut, reads from one minute
 * before the checkpoint's time.
 */
export async function openFeed(
  context: KeeperContext,
  partition: Partition,
  reads: Pick<TakeOverReads, 'stream'>,
  mayGoOn: () => boolean,
  onBroken: (reason: string) => void,
): Promise<void> {
  const stream = context.bus.observations
  const { state, askedAt } = await retryWhile(context, mayGoOn, 'look at the stream', () => reads.stream())
  const known = partition.position.checkpoint
  const isSame = known !== null && known.streamCreatedAt === state.createdAt && known.sequence <= state.lastSequence
  if (known !== null && !isSame) countGap(context, partition, 'the stream is another or shorter than the checkpoint')
  partition.position.sequence = isSame ? known.sequence : 0
  partition.position.messageAt = known?.messageAt ?? 0
  partition.position.streamCreatedAt = state.createdAt
  partition.position.sentTime = createSentTime(context.clock, state.askedAt === null ? 0 : askedAt - state.askedAt)
  partition.inbox.results.length = 0
  partition.inbox.receivedTo = partition.position.sequence
  // The first new report is found by time, not by sequence: if the stream was cut and has grown again, new reports have sequences that were
  // used before.
  const knownAt = known === null ? 0 : Math.max(0, isSame ? known.messageAt : known.messageAt - minute)
  // If the bus's clock was set back, the newest messages have earlier stamps, so no instant marks the first new message.
  const since = state.lastAt < knownAt ? 0 : knownAt
  const from = since === 0 ? { sequence: partition.position.sequence + 1 } : { time: since }
  partition.position.catchUpTo = await retryWhile(context, mayGoOn, 'look at the stream', () =>
    stream.lastSequenceOf(partition.number, since),
  )
  if (isClosed(partition)) return
  partition.state = 'catching-up'
  const isCommitted = ({ sequence, at }: StreamMessage) => isSame && sequence <= known.sequence && at <= known.messageAt
  const onMessage = (message: StreamMessage) => isCommitted(message) || receive(context, partition, message)
  const onDeaf = (forMs: number) => fallDeaf(partition.deafness, 'feed', context.clock.now() - forMs)
  const onHearing = () => {
    hearAgain(partition.deafness, 'feed', context.clock.now())
    context.wake()
  }
  const feed = await retryWhile(context, mayGoOn, 'open the feed', () =>
    stream.open({ partition: partition.number, from, onMessage, onBroken, onDeaf, onHearing }),
  )
  // If the partition was closed while its feed was being opened, no other code can close the feed.
  if (isClosed(partition)) return await feed.close()
  partition.inbox.feed = feed
  context.wake()
}

const isClosed = ({ state }: Partition): boolean => state === 'closed'

function receive(context: KeeperContext, partition: Partition, message: StreamMessage): boolean {
  const waiting = checkResult.Check(message.body) ? resultInput(message, message.body, partition) : null
  partition.inbox.receivedTo = Math.max(partition.inbox.receivedTo, message.sequence)
  if (waiting !== null) partition.inbox.results.push(waiting)
  else context.junk.note(locationOf(message.subject), whyNone(message.body))
  const isPassed = waiting?.input.kind === 'result' && waiting.input.result.ok
  partition.inbox.isUrgent ||= !isPassed
  if (isPassed && partition.state === 'live' && partition.inbox.results.length < limits.keeper.gatherResults) context.wakeSoon()
  else context.wake()
  return partition.inbox.results.length < limits.keeper.feedBacklog
}

/** Returns the location in a message's bus subject. A malformed message may have a bus subject of any form. */
const locationOf = (subject: string): string => subject.split('.')[2]?.slice(0, 64) ?? ''

const whyNone = (body: unknown): string =>
  checkResult.Check(body) ? 'its subject is none of its partition' : firstFault(checkResult, body, 'the result')

function countGap(context: KeeperContext, partition: Partition, reason: string): void {
  partition.position.gaps++
  context.metrics.gaps.inc()
  context.logger.warn({ partition: partition.number, reason }, 'reports may be missing')
}

/** Finishes the outboxes that the former holder committed but did not write elsewhere. */
async function finishOutbox(
  context: KeeperContext,
  partition: Partition,
  reads: Pick<TakeOverReads, 'hasOutboxes'>,
  mayGoOn: () => boolean,
): Promise<void> {
  if (!(await retryWhile(context, mayGoOn, 'look for outboxes', () => reads.hasOutboxes(partition.number)))) return
  const query: Query = { where: { hasOutbox: 1, partition: partition.number }, limit: pageSize }
  for await (const page of subjectPages(context, mayGoOn, query)) {
    await publishOutbox(context, page, mayGoOn)
    for (const subject of page) {
      beginWork(context, subject)
      if (subject.outbox.some(isWritten)) partition.outboxes.uncleared.set(subject.id, context.clock.now())
    }
  }
}

/** If the checkpoint has a deadline for this revision of the subject, uses that deadline: it is newer than the deadline in the document. */
function armFresh(partition: Partition, { id, rev, dueAt }: Pick<SubjectDocument, 'id' | 'rev' | 'dueAt'>): void {
  const freshness = partition.fresh.checkpointed.get(id)
  const armedAt = freshness !== undefined && freshness[1] === rev ? freshness[3] : dueAt
  if (armedAt !== null) armDeadline(partition.deadlines, id, armedAt)
}

const subjectPages = (context: KeeperContext, mayGoOn: () => boolean, query: Query) =>
  pagesOf(query, page => retryWhile(context, mayGoOn, 'read subjects', () => context.store.find('subjects', page)))
