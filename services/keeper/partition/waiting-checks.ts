// Search for subjects that wait for a first result at a location whose probers can make other checks than before. They are stepped, and the
// step decides (`step/checks/unmade-checks.ts`).
import { isWebsiteTemplate } from '#shared/checks/website/website-template.ts'
import type { SubjectDocument } from '#shared/contracts/subjects/subject.ts'
import { type KeeperContext, NoLongerOurs, retryWhile } from '../context.ts'
import { mayBeMarked } from '../step/checks/unmade-checks.ts'
import { armDeadline } from './deadlines.ts'
import type { Partition } from './partition.ts'
import type { TakenRow } from './take-over-reads.ts'

const pageSize = 500

/** Returns the subjects with checks that not every prober makes. Every prober checks website monitors. */
export const withSpecialChecks = (rows: readonly TakenRow[]): TakenRow[] =>
  rows.filter(
    ({ deletedAt, archivedAt, checkRev, template }) =>
      deletedAt === null && archivedAt === null && checkRev !== null && !isWebsiteTemplate(template),
  )

/**
 * Makes the subjects of a live partition due that wait for a first result at one of the locations. `readRows`: reads the subjects of the
 * partition. `isAsked`: whether a location is one of them. Never rejects: a partition that cannot be read any more is searched again when
 * it is next opened.
 */
export async function stepWaiting(
  context: KeeperContext,
  partition: Partition,
  readRows: () => Promise<readonly TakenRow[]>,
  isAsked: (location: string) => boolean,
): Promise<void> {
  try {
    await search(context, partition, readRows, isAsked)
  } catch (error) {
    if (!(error instanceof NoLongerOurs))
      context.logger.warn({ err: error, partition: partition.number }, 'waiting checks not found')
  }
}

async function search(
  context: KeeperContext,
  partition: Partition,
  readRows: () => Promise<readonly TakenRow[]>,
  isAsked: (location: string) => boolean,
): Promise<void> {
  const { store, cache, clock } = context
  const mayGoOn = () => partition.state !== 'closed' && context.mayCommit(partition.number)
  const read = <T>(attempt: () => Promise<T>) => retryWhile(context, mayGoOn, 'read subjects', attempt)
  const asked = withSpecialChecks(await read(readRows)).filter(({ checkLocations }) => checkLocations.some(isAsked))
  for (let start = 0; start < asked.length; start += pageSize) {
    const ids = asked.slice(start, start + pageSize).map(({ id }) => id)
    const unread = ids.filter(id => cache.get(id) === undefined)
    const found = unread.length === 0 ? [] : await read(() => store.get('subjects', unread))
    const cached = ids.map(id => cache.get(id)?.subject ?? null)
    const waiting = [...cached, ...found].filter(
      (subject): subject is SubjectDocument => subject !== null && mayBeMarked(subject, isAsked),
    )
    if (!mayGoOn()) return
    for (const { id } of waiting) armDeadline(partition.deadlines, id, clock.now())
    if (waiting.length > 0) context.wake()
  }
}
