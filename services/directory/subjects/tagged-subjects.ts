// Subjects behind tags: sorted walks over the stored tags, intersected. What this costs follows the rarest of them.

import { limits } from '#shared/limits/limits.ts'
import type { Query, Store } from '#shared/store/port.ts'
import { endOfPrefix, subjectTagId, subjectTagPrefix } from '#shared/text/ids.ts'

const { tagReadsFirst, tagReads } = limits.v3

/**
 * Ids of the subjects of a workspace that have all of these tags, in the order of ids behind `after`, in lots of any size. A subject that
 * has changed a moment ago may be among them, or missing: who shows it looks at its document.
 */
export async function* subjectsTagged(
  store: Store,
  workspaceId: string,
  tags: readonly string[],
  after: string,
): AsyncGenerator<string[]> {
  const begun = await Promise.all(tags.map(tag => read(store, { workspaceId, tag }, { after, limit: tagReadsFirst })))
  const [rarest, ...others] = begun.sort((one, other) => (reachOf(one) > reachOf(other) ? -1 : 1))
  if (rarest === undefined) throw new Error('Invariant broken: subjects are found by a tag at least')
  for (let limit: number = tagReadsFirst, walk = rarest; ; ) {
    const found = await having(store, walk, others)
    if (found.length > 0) yield found
    const last = walk.ids.at(-1)
    if (walk.isEnd || last === undefined) return
    limit = Math.min(limit * 2, tagReads)
    walk = await read(store, walk, { after: last, limit })
  }
}

/** All subjects of a workspace that are not deleted, the same way. */
export async function* allSubjects(store: Store, workspaceId: string, after: string): AsyncGenerator<string[]> {
  for (let limit: number = tagReadsFirst, last = after; ; limit = Math.min(limit * 2, tagReads)) {
    const where = { workspaceId, id: { gt: last } }
    const found = await store.find('subjects', { where, sort: [['id', 'asc']], limit, select: ['deletedAt'] })
    yield found.filter(({ deletedAt }) => deletedAt === null).map(({ id }) => id)
    if (found.length < limit) return
    last = found.at(-1)?.id ?? last
  }
}

interface Lane {
  workspaceId: string
  tag: string
}

interface Walk extends Lane {
  ids: string[]
  /** No further subject has the tag. */
  isEnd: boolean
}

async function read(store: Store, { workspaceId, tag }: Lane, { after, limit }: { after: string; limit: number }): Promise<Walk> {
  const prefix = subjectTagPrefix(workspaceId, tag)
  const where = { id: { gt: prefix + after, lt: endOfPrefix(prefix) }, gone: 0 }
  const found = await store.find('subjectTags', { where, sort: [['id', 'asc']], limit, select: [] })
  return { workspaceId, tag, ids: found.map(({ id }) => id.slice(prefix.length)), isEnd: found.length < limit }
}

/** How far a walk got with its first reads: the further, the rarer its tag. Of walks that came to their end, the shorter is the rarer. */
const reachOf = ({ ids, isEnd }: Walk): string =>
  isEnd ? `~${String(tagReadsFirst - ids.length).padStart(6, '0')}` : (ids.at(-1) ?? '')

/** Those of the rarest tag's subjects that have the others, too: each is looked up, rarer tags first, so that ever fewer are. */
async function having(store: Store, { ids, workspaceId }: Walk, others: readonly Walk[]): Promise<string[]> {
  let left = ids
  for (const { tag } of others) {
    if (left.length === 0) break
    const wanted = left.map(id => subjectTagId(workspaceId, tag, id))
    const query: Query = { where: { id: { in: wanted }, gone: 0 }, limit: wanted.length, select: [] }
    const found = new Set((await store.find('subjectTags', query)).map(({ id }) => id))
    left = left.filter((_, i) => found.has(wanted[i] as string))
  }
  return left
}
