// Choice of the index for a query, from the declared indexes alone. SQLite has no statistics here, and would choose by the number of
// conditions only. Pure.
import { type CollectionName, collections } from '#shared/store/collections.ts'
import type { PlannedCondition, SortKey } from '#shared/store/query.ts'

/** Fields of which few rows have the same value, so these rows are found before anything else. */
const narrow = new Set(['id', 'incidentId', 'slug', 'subjectId', 'destinationId', 'destinationNumber'])

/** What the choice depends on. */
export interface Searched {
  conditions: readonly PlannedCondition[]
  sort: readonly SortKey[]
}

interface Candidate {
  fields: readonly string[]
  /** Conditions that bound the part of the index that is read. */
  used: Set<string>
  isNarrow: boolean
  equal: number
  isInOrder: boolean
  hasRange: boolean
}

export interface Choice {
  /** Fields of the conditions by which the rows are found; empty: no index has a condition. */
  fields: ReadonlySet<string>
  /** Whether the index has the rows in the order of the query. */
  isInOrder: boolean
}

/**
 * Chooses the index of a query. The index of a narrow field is best, then the one with most equalities, then the one with the order of the
 * query, then the one with a range. Rows with given ids are found by their ids.
 */
export function chooseIndex(collection: CollectionName, { conditions, sort }: Searched): Choice {
  let best: Candidate | null = null
  const isOfIds = conditions.some(({ field, kind }) => field === 'id' && kind !== 'range')
  for (const fields of isOfIds ? [['id']] : indexesOf(collection)) {
    const candidate = candidateOf(fields, conditions, sort)
    if (candidate.used.size > 0 && (best === null || isBetter(candidate, best))) best = candidate
  }
  return { fields: best?.used ?? new Set(), isInOrder: isOfIds || (best?.isInOrder ?? true) }
}

const fieldsByCollection = new Map<CollectionName, (readonly string[])[]>()

function indexesOf(collection: CollectionName): (readonly string[])[] {
  let found = fieldsByCollection.get(collection)
  if (found === undefined) {
    const { indexes, expires } = collections[collection]
    found = [['id'], ...indexes.map(({ fields }) => fields), ...(expires ? [['expireAt']] : [])]
    fieldsByCollection.set(collection, found)
  }
  return found
}

function candidateOf(fields: readonly string[], conditions: readonly PlannedCondition[], sort: readonly SortKey[]): Candidate {
  const kinds = new Map(conditions.map(({ field, kind }) => [field, kind]))
  const used = new Set<string>()
  let at = 0
  let isList = false
  for (; at < fields.length; at++) {
    const field = fields[at] as string
    const kind = kinds.get(field)
    if (kind !== 'equal' && kind !== 'in') break
    isList ||= kind === 'in'
    used.add(field)
  }
  const equal = used.size
  const rest = fields[at]
  const hasRange = rest !== undefined && kinds.get(rest) === 'range'
  if (hasRange) used.add(rest)
  const order = sort.filter(({ field }) => kinds.get(field) !== 'equal')
  // An index without `id` has the order if few rows are equal in the keys before it.
  const has = ({ field }: SortKey, i: number) =>
    fields[at + i] === field || (field === 'id' && i > 0 && fields[at + i] === undefined)
  const isInOrder = !isList && order.every(has)
  return { fields, used, isNarrow: [...used].some(field => narrow.has(field)), equal, isInOrder, hasRange }
}

function isBetter(one: Candidate, other: Candidate): boolean {
  const ranks = ({ isNarrow, equal, isInOrder, hasRange }: Candidate) => [
    Number(isNarrow),
    equal,
    Number(isInOrder),
    Number(hasRange),
  ]
  const [mine, theirs] = [ranks(one), ranks(other)]
  const at = mine.findIndex((rank, i) => rank !== theirs[i])
  return at !== -1 && (mine[at] as number) > (theirs[at] as number)
}
