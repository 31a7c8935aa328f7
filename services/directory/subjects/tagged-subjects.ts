// Subjects with given tags: the intersection of sorted walks over stored tags. The cost depends on the rarest tag.
import { limits } from '#shared/limits/limits.ts'
import type { Query, Store } from '#shared/store/port.ts'
import { endOfPrefix, subjectTagId, subjectTagPrefix } from '#shared/text/ids.ts'

const { tagReadsFirst, tagReads } = limits.v3

/**
 * Yields the ids after `after` of a workspace's subjects that have all these tags, ascending, in batches of any size. A subject that has
 * just changed may be included or missing wrongly, so callers check its document.
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

/** Yields the ids of all undeleted subjects of a workspace like `subjectsTagged`. */
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
  /** Whether no further subject has the tag. */
  isEnd: boolean
}

async function read(store: Store, { workspaceId, tag }: Lane, { after, limit }: { after: string; limit: number }): Promise<Walk> {
  const prefix = subjectTagPrefix(workspaceId, tag)
  const where = { id: { gt: prefix + after, lt: endOfPrefix(prefix) }, gone: 0 }
  const found = await store.find('subjectTags', { where, sort: [['id', 'asc']], limit, select: [] })
  return { workspaceId, tag, ids: found.map(({ id }) => id.slice(prefix.length)), isEnd: found.length < limit }
}

/**
 * Returns a text that is greater for rarer tags: the last id of the walk's first read. If few subjects have the tag, a read of the same
 * number of ids reaches a greater id. Complete walks sort after incomplete ones, shorter ones last.
 */
const reachOf = ({ ids, isEnd }: Walk): string =>
  isEnd ? `~${String(tagReadsFirst - ids.length).padStart(6, '0')}` : (ids.at(-1) ?? '')

/** Returns the subjects of the rarest tag that also have the other tags. Rarer tags are looked up first, so that fewer subjects remain. */
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
