// Search for the subjects that have all given tags: walks over the stored entries of the rarest tag, and looks up the other tags. The cost
// depends on the rarest tag.
import { limits } from '#shared/limits/limits.ts'
import type { Query, Store } from '#shared/store/port.ts'
import { endOfPrefix, subjectTagId, subjectTagPrefix } from '#shared/text/ids.ts'

const { tagReadsFirst, tagReads } = limits.v3

/**
 * Yields the ids of subjects that have all these tags, in batches of any size. The ids are ascending and greater than `after`. For a moment
 * after a change of a subject, its id may wrongly be included or missing, so callers check the document.
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

/** Yields the ids of all undeleted subjects of a workspace, in the order and batches of `subjectsTagged`. */
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
  /** True if no further subject has the tag. */
  isEnd: boolean
}

async function read(store: Store, { workspaceId, tag }: Lane, { after, limit }: { after: string; limit: number }): Promise<Walk> {
  const prefix = subjectTagPrefix(workspaceId, tag)
  const where = { id: { gt: prefix + after, lt: endOfPrefix(prefix) }, gone: 0 }
  const found = await store.find('subjectTags', { where, sort: [['id', 'asc']], limit, select: [] })
  return { workspaceId, tag, ids: found.map(({ id }) => id.slice(prefix.length)), isEnd: found.length < limit }
}

/**
 * Returns a text by which tags are sorted: the rarer the tag, the greater the text. Usually the text is the last id of the first read,
 * because the ids of a rare tag are further apart. If the first read found all ids of the tag, the text is greater than any id, and it
 * grows as the number of ids falls.
 */
const reachOf = ({ ids, isEnd }: Walk): string =>
  isEnd ? `~${String(tagReadsFirst - ids.length).padStart(6, '0')}` : (ids.at(-1) ?? '')

/**
 * Returns those subjects of the rarest tag that also have the other tags. Looks up the rarer tags first, so that fewer subjects remain for
 * the common tags.
 */
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
