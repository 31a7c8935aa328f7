// Checkpoint of a partition. One guarded write, of the head, stores the partition's position in the stream, and names the readings that are
// newer than the stored subjects. Most of these readings are in parts: documents that never change, and that are stored before the head
// that first names them (ADR 49).
import { keys } from '#shared/bus/subjects.ts'
import type { CheckpointDocument, CheckpointPartDocument } from '#shared/contracts/observations/checkpoint.ts'
import type { Freshness } from '#shared/contracts/observations/freshness.ts'
import { limits } from '#shared/limits/limits.ts'
import { flatForms } from '#shared/store/migrations/0004-flat-forms.ts'
import { randomId, toBase62 } from '#shared/text/ids.ts'
import { type KeeperContext, NoLongerOurs, retryWhile } from '../context.ts'
import { freshnessOf } from './freshness.ts'
import { type FreshSubjects, freshCount, isMoved, type Partition } from './partition.ts'
import { momentOf, notesOf } from './silence.ts'
import { forgetStrayed } from './strayed.ts'
import type { TakeOverReads } from './take-over-reads.ts'

const { inlineFreshness, checkpointParts, partCharacters } = limits.keeper

/** Returns the first characters of the ids of all parts that were made for revisions of the partition's head before `rev`. */
const partPrefix = (head: string, rev: number): string => `${head}.${toBase62(rev, 8)}`

/** The readings of one checkpoint: those that its head has, and those that its parts have. */
interface Content {
  freshness: Freshness[]
  /** Parts to store before the head. */
  made: CheckpointPartDocument[]
  /** Ids of all parts that the head names, oldest first; null: a head in the form of version 2.0.0, which names none. */
  parts: string[] | null
}

/**
 * Writes the checkpoint. Requires that every report up to the partition's sequence is committed. A report that only renews the freshness of
 * its subject may be in memory instead: the checkpoint stores that freshness. Throws NoLongerOurs if another keeper has moved the
 * checkpoint.
 */
export async function writeCheckpoint(context: KeeperContext, partition: Partition, now: number): Promise<void> {
  const { position, fresh } = partition
  position.checkpointDueAt = now + limits.keeper.checkpointMs
  if (!isMoved(partition)) return
  fresh.isAhead = false
  const mayGoOn = () => context.mayCommit(partition.number)
  await forgetStrayed(context, partition, now, mayGoOn)
  // A closed partition has no subjects in memory, so their freshness would be missing.
  if (partition.state === 'closed') return
  const head = keys.lease(partition.number)
  const rev = (position.checkpoint?.rev ?? 0) + 1
  const silence = notesOf(partition.silence, momentOf(context.clock))
  const { freshness, made, parts } = contentOf(context, partition, `${partPrefix(head, rev)}.${randomId(8)}`)
  const checkpoint: CheckpointDocument = {
    id: head,
    rev,
    streamCreatedAt: position.streamCreatedAt,
    sequence: position.sequence,
    messageAt: position.messageAt,
    gaps: position.gaps,
    writtenAt: now,
    freshness,
    ...(parts !== null && { parts }),
    ...(silence !== null && { silence }),
    writer: `${context.keeperId}.${now}`,
  }
  if (made.length > 0)
    await retryWhile(context, mayGoOn, 'write parts of a checkpoint', () => context.store.insert('checkpointParts', made))
  const [result] = await retryWhile(context, mayGoOn, 'write a checkpoint', () =>
    context.store.replace('checkpoints', [checkpoint]),
  )
  if (result !== 'written') throw new NoLongerOurs(`the checkpoint of partition ${partition.number} was moved by somebody else`)
  const { freshness: _, ...stored } = checkpoint
  position.checkpoint = stored
  if (parts === null || fresh.isSwept || parts.length > made.length) return
  // This head names no earlier part, so no later head names one either, and a former holder can only have added parts of no use.
  const { deletionSlice } = limits.keeper
  await retryWhile(context, mayGoOn, 'remove parts of a checkpoint', () =>
    context.store.deleteRange('checkpointParts', `${head}.`, partPrefix(head, rev), deletionSlice),
  )
  fresh.isSwept = parts.length === 0
}

/**
 * Returns the readings to store. While few readings are newer than the parts, the head has them. More readings become a new part. If the
 * later parts would have more readings than the first ones, all readings are written anew.
 */
function contentOf(context: KeeperContext, partition: Partition, partId: string): Content {
  const { fresh, position } = partition
  const known = position.checkpoint?.parts ?? []
  const all = () => freshnessOfAll(context, fresh)
  if (context.level.number() < flatForms) return { freshness: all(), made: [], parts: null }
  if (freshCount(fresh) <= inlineFreshness) {
    Object.assign(fresh, { inBase: 0, inLater: 0 })
    // The next part must have them all.
    return { freshness: all(), made: [], parts: [] }
  }
  if (known.length > 0 && fresh.changed.size <= inlineFreshness)
    return { freshness: freshnessOfChanged(context, fresh), made: [], parts: [...known] }
  const isBase = known.length === 0 || known.length >= checkpointParts || fresh.inLater + fresh.changed.size >= fresh.inBase
  const records = isBase ? all() : freshnessOfChanged(context, fresh)
  const made = partsOf(records, partId)
  fresh.changed.clear()
  Object.assign(
    fresh,
    isBase ? { inBase: records.length, inLater: 0, isSwept: false } : { inLater: fresh.inLater + records.length },
  )
  return { freshness: [], made, parts: [...(isBase ? [] : known), ...made.map(({ id }) => id)] }
}

function freshnessOfAll(context: KeeperContext, { checkpointed, dirty }: FreshSubjects): Freshness[] {
  const all = [...checkpointed.values()]
  for (const id of dirty) {
    const subject = context.cache.get(id)?.subject
    if (subject) all.push(freshnessOf(subject))
  }
  return all
}

function freshnessOfChanged(context: KeeperContext, { checkpointed, dirty, changed }: FreshSubjects): Freshness[] {
  const found: Freshness[] = []
  for (const id of changed) {
    const subject = dirty.has(id) ? context.cache.get(id)?.subject : null
    const freshness = subject ? freshnessOf(subject) : checkpointed.get(id)
    if (freshness !== undefined) found.push(freshness)
  }
  return found
}

/** Divides records into parts of bounded size. */
function partsOf(records: readonly Freshness[], id: string): CheckpointPartDocument[] {
  const parts: { id: string; rev: number; freshness: Freshness[] }[] = []
  let room = 0
  for (const record of records) {
    if (room <= 0) {
      parts.push({ id: `${id}.${toBase62(parts.length, 3)}`, rev: 1, freshness: [] })
      room = partCharacters
    }
    parts.at(-1)?.freshness.push(record)
    room -= charactersOf(record)
  }
  return parts
}

/** Returns about how many characters a record takes in a document. */
const charactersOf = ([, , , , readings]: Freshness): number =>
  readings.reduce((sum, [source, , , , , , error]) => sum + 60 + source.length + (error?.length ?? 0), 60)

/**
 * Reads the checkpoint of a partition into its memory. Another keeper may remove the parts between two reads: then it has written a newer
 * head, which is read instead.
 */
export async function readCheckpoint(
  context: KeeperContext,
  partition: Partition,
  reads: Pick<TakeOverReads, 'head' | 'parts'>,
  mayGoOn: () => boolean,
): Promise<void> {
  const read = <T>(attempt: () => Promise<T>) => retryWhile(context, mayGoOn, 'read a checkpoint', attempt)
  const head = keys.lease(partition.number)
  for (let missed: number | null = null; ; ) {
    const found = await read(() => reads.head(head))
    const { freshness = [], ...position } = found ?? {}
    const checkpoint = found ? (position as Omit<CheckpointDocument, 'freshness'>) : null
    const named = checkpoint?.parts ?? []
    const parts = named.length === 0 ? [] : await read(() => reads.parts(named))
    const missing = parts.filter(part => part === null).length
    if (missing > 0 && checkpoint !== null && missed !== checkpoint.rev) {
      missed = checkpoint.rev
      continue
    }
    if (missing > 0) context.logger.error({ partition: partition.number, missing }, 'parts of a checkpoint are missing')
    const records = parts.map(part => part?.freshness ?? [])
    takeOverFreshness(partition.fresh, records, freshness)
    partition.position.checkpoint = checkpoint
    partition.position.gaps = (checkpoint?.gaps ?? 0) + (missing > 0 ? 1 : 0)
    return
  }
}

/** Puts the records of parts (oldest first) and of the head into the memory of the partition. */
function takeOverFreshness(fresh: FreshSubjects, parts: readonly (readonly Freshness[])[], head: readonly Freshness[]): void {
  for (const records of parts) for (const one of records) fresh.checkpointed.set(one[0], one)
  // Which of the parts are the first ones is not stored. The largest possible base only makes the next base later.
  const inParts = fresh.checkpointed.size
  const inAll = parts.reduce((sum, records) => sum + records.length, 0)
  Object.assign(fresh, { inBase: inParts, inLater: inAll - inParts })
  for (const one of head) {
    fresh.checkpointed.set(one[0], one)
    fresh.changed.add(one[0])
  }
}
