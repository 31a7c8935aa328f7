// Store port in plain memory, for tests of the port's users and for the simulation. Documents are copied deeply on write and read. Calls
// settle in a microtask and do no input or output.
import { type CollectionName, collections } from '#shared/store/collections.ts'
import { type PutMode, type PutResult, type Scalar, type Store, StoreError } from '#shared/store/port.ts'
import { putOneByOne } from '#shared/store/put-one-by-one.ts'
import {
  columnsOf,
  numbersIn,
  type PlannedCondition,
  planNumbers,
  planQuery,
  planWhere,
  type QueryPlan,
  requireMode,
  type SortKey,
} from '#shared/store/query.ts'
import { compareText, SortedIds } from './sorted-ids.ts'

type Document = Record<string, unknown>

interface Table {
  name: CollectionName
  documents: Map<string, Document>
  ids: SortedIds
  /** One map for each unique index. `taken` maps the joined values of the fields to the id of the document that has them. */
  unique: { fields: readonly string[]; taken: Map<string, string> }[]
  /** The documents as JSON in id order; null after a change. */
  text: string | null
}

export interface MemoryStore extends Store {
  /** Number of documents in each collection. */
  sizes(): Partial<Record<CollectionName, number>>
  /** Every document of every collection as JSON. Reuses the text of unchanged collections, so that a second dump is cheap. */
  dump(): string
}

export function createMemoryStore(): MemoryStore {
  const tables = new Map<CollectionName, Table>()
  const tableOf = (name: CollectionName): Table => {
    const known = tables.get(name)
    if (known !== undefined) return known
    columnsOf(name)
    const unique = collections[name].indexes.filter(index => index.unique).map(({ fields }) => ({ fields, taken: new Map() }))
    const table: Table = { name, documents: new Map(), ids: new SortedIds(), unique, text: null }
    tables.set(name, table)
    return table
  }
  const put = (guard: Guard, mode: PutMode) => async (name: CollectionName, documents: readonly object[]) => {
    requireMode(name, mode)
    const table = tableOf(name)
    return documents.map(document => putOne(table, document as Document, guard))
  }
  const remove = (name: CollectionName, ids: readonly string[]) => ids.filter(id => removeOne(tableOf(name), id)).length
  const puts = {
    insert: put(stored => (stored === undefined ? 'written' : 'refused'), 'insert'),
    replace: put(mayReplace, 'replace'),
    advance: put((stored, given) => (stored === undefined || revOf(stored) < revOf(given) ? 'written' : 'refused'), 'advance'),
    upsert: put(() => 'written', 'upsert'),
  }
  const store: MemoryStore = {
    ...puts,
    putInOrder: putOneByOne(puts),
    get: async (name, ids) => ids.map(id => copy(tableOf(name).documents.get(id) ?? null)) as never,
    delete: async (name, ids) => remove(name, ids),
    deleteRange: async (name, from, to, limit) => remove(name, tableOf(name).ids.between(from, to).slice(0, limit)),
    find: async (name, query) => find(tableOf(name), planQuery(name, query)) as never,
    numbers: async (name, query) => numbersIn(find(tableOf(name), planNumbers(name, query)), query),
    count: async (name, where) => matching(tableOf(name), planWhere(name, where)).length,
    expire: async (name, at, limit) => {
      if (!collections[name].expires) throw new StoreError('permanent', `Documents of ${name} do not expire.`)
      const due = matching(tableOf(name), [{ field: 'expireAt', kind: 'range', bounds: [['lte', at]] }])
      return remove(
        name,
        due.slice(0, limit).map(document => document['id'] as string),
      )
    },
    ping: async () => {},
    room: async () => null,
    close: async () => {},
    sizes: () => Object.fromEntries([...tables].map(([name, table]) => [name, table.documents.size])),
    dump: () => `[${names.map(name => `["${name}",${textOf(tableOf(name))}]`).join()}]`,
  }
  return store
}

const names = Object.keys(collections) as CollectionName[]

function textOf(table: Table): string {
  table.text ??= `[${table.ids
    .between()
    .map(id => JSON.stringify(table.documents.get(id)))
    .join()}]`
  return table.text
}

type Guard = (stored: Document | undefined, given: Document) => 'written' | 'refused' | 'same'

const revOf = (document: Document) => document['rev'] as number

function mayReplace(stored: Document | undefined, given: Document): 'written' | 'refused' | 'same' {
  if ((stored === undefined ? 0 : revOf(stored)) === revOf(given) - 1) return 'written'
  const same = stored !== undefined && revOf(stored) === revOf(given) && given['writer'] !== undefined
  return same && stored['writer'] === given['writer'] ? 'same' : 'refused'
}

function putOne(table: Table, given: Document, guard: Guard): PutResult {
  const id = given['id'] as string
  const stored = table.documents.get(id)
  const allowed = guard(stored, given)
  if (allowed !== 'written') return allowed === 'same' ? 'written' : 'refused'
  const document = copy(given) as Document
  for (const column of columnsOf(table.name).keys()) document[column] ??= null
  for (const { fields, taken } of table.unique) {
    const owner = taken.get(uniqueKey(document, fields))
    if (owner !== undefined && owner !== id) return 'taken'
  }
  if (stored === undefined) table.ids.add(id)
  else releaseUnique(table, stored)
  for (const { fields, taken } of table.unique) taken.set(uniqueKey(document, fields), id)
  table.documents.set(id, document)
  table.text = null
  return 'written'
}

function removeOne(table: Table, id: string): boolean {
  const stored = table.documents.get(id)
  if (stored === undefined) return false
  table.text = null
  releaseUnique(table, stored)
  table.ids.remove(id)
  return table.documents.delete(id)
}

function releaseUnique(table: Table, stored: Document): void {
  for (const { fields, taken } of table.unique) taken.delete(uniqueKey(stored, fields))
}

const uniqueKey = (document: Document, fields: readonly string[]) => JSON.stringify(fields.map(field => document[field]))

function find(table: Table, plan: QueryPlan): Document[] {
  let documents = matching(table, plan.conditions)
  if (plan.sort[0]?.after !== undefined) documents = documents.filter(document => isBehind(plan.sort, document))
  // Matches come in id order already.
  if (plan.sort[0]?.field !== 'id') documents.sort((a, b) => compareBy(plan.sort, a, b))
  else if (plan.sort[0].descending) documents.reverse()
  return documents.slice(0, plan.limit).map(document => {
    if (plan.select === null) return copy(document) as Document
    return copy(Object.fromEntries(['id', ...plan.select].map(field => [field, document[field]]))) as Document
  })
}

/** Returns the stored documents themselves, in id order. A range of ids reads only documents within the range. */
function matching(table: Table, conditions: readonly PlannedCondition[]): Document[] {
  const bounds = conditions.flatMap(condition => (condition.field === 'id' && condition.kind === 'range' ? condition.bounds : []))
  const from = bounds.find(([operator]) => operator === 'gte' || operator === 'gt')?.[1] as string | undefined
  const to = bounds.find(([operator]) => operator === 'lt')?.[1] as string | undefined
  return table.ids
    .between(from, to)
    .map(id => table.documents.get(id) as Document)
    .filter(document => conditions.every(condition => holds(condition, document[condition.field] as Scalar)))
}

function holds(condition: PlannedCondition, found: unknown): boolean {
  const value = (typeof found === 'boolean' ? Number(found) : found) as Scalar
  if (condition.kind === 'equal') return value === condition.value
  if (condition.kind === 'in') return condition.values.includes(value as string)
  return condition.bounds.every(([operator, bound]) => {
    if (typeof value !== typeof bound) return false
    const order = compare(value, bound)
    return operator === 'gt' ? order > 0 : operator === 'gte' ? order >= 0 : operator === 'lt' ? order < 0 : order <= 0
  })
}

function isBehind(keys: readonly SortKey[], document: Document): boolean {
  for (const key of keys) {
    const order = compare(document[key.field], key.after)
    if (order !== 0) return key.descending ? order < 0 : order > 0
  }
  return false
}

function compareBy(keys: readonly SortKey[], a: Document, b: Document): number {
  for (const key of keys) {
    const order = compare(a[key.field], b[key.field])
    if (order !== 0) return key.descending ? -order : order
  }
  return 0
}

const rank = (value: unknown) => (value === null || value === undefined ? 0 : typeof value === 'string' ? 2 : 1)

function compare(a: unknown, b: unknown): number {
  if (rank(a) !== rank(b)) return rank(a) - rank(b)
  if (typeof a === 'string') return compareText(a, b as string)
  return Number(a ?? 0) - Number(b ?? 0)
}

/** Returns a deep copy of plain JSON values, without values that JSON lacks. */
function copy(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(copy)
  const made: Document = {}
  for (const field in value) {
    const inner = (value as Document)[field]
    if (inner !== undefined) made[field] = copy(inner)
  }
  return made
}
