// Search for subjects that wait for a first result at a location whose probers can make other checks than before. They are stepped, and the
// step decides (`step/checks/unmade-checks.ts`).
import { isWebsiteTemplate } from '#shared/checks/website/website-template.ts'
import type { SubjectDocument } from '#shared/contracts/subjects/subject.ts'
import { pagesOf } from '#shared/store/pages.ts'
import { type KeeperContext, NoLongerOurs, retryWhile } from '../context.ts'
import { mayBeMarked } from '../step/checks/unmade-checks.ts'
import { armDeadline } from './deadlines.ts'
import type { Partition } from './partition.ts'

const pageSize = 500

/**
 * Makes the subjects of a live partition due that wait for a first result at one of the locations. `isAsked`: whether a location is one of
 * them. Never rejects: a partition that cannot be read any more is searched again when it is next opened.
 */
export async function stepWaiting(
  context: KeeperContext,
  partition: Partition,
  isAsked: (location: string) => boolean,
): Promise<void> {
  try {
    await search(context, partition, isAsked)
  } catch (error) {
    if (!(error instanceof NoLongerOurs))
      context.logger.warn({ err: error, partition: partition.number }, 'waiting checks not found')
  }
}

async function search(context: KeeperContext, partition: Partition, isAsked: (location: string) => boolean): Promise<void> {
  const { store, cache, clock } = context
  const mayGoOn = () => partition.state !== 'closed' && context.mayCommit(partition.number)
  const query = {
    where: { partition: partition.number, deletedAt: null, archivedAt: null },
    limit: pageSize,
    select: ['template', 'checkRev', 'checkLocations'] as const,
  }
  const find = (next: typeof query) => retryWhile(context, mayGoOn, 'read subjects', () => store.find('subjects', next))
  for await (const page of pagesOf(query, find)) {
    const asked = page.filter(
      // Every prober checks website monitors.
      ({ template, checkRev, checkLocations }) =>
        checkRev !== null && !isWebsiteTemplate(template) && checkLocations.some(isAsked),
    )
    const unread = asked.map(({ id }) => id).filter(id => cache.get(id) === undefined)
    const read = await retryWhile(context, mayGoOn, 'read subjects', () => store.get('subjects', unread))
    const cached = asked.map(({ id }) => cache.get(id)?.subject ?? null)
    const waiting = [...cached, ...read].filter(
      (subject): subject is SubjectDocument => subject !== null && mayBeMarked(subject, isAsked),
    )
    if (!mayGoOn()) return
    for (const { id } of waiting) armDeadline(partition.deadlines, id, clock.now())
    if (waiting.length > 0) context.wake()
  }
}
