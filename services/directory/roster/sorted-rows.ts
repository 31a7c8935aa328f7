// Rows of one workspace in the order of its list: worst status first, then by name. Filters, counts, and returns pages.
import {
  type RosterCounts,
  type RosterFilters,
  type RosterPage,
  type RosterRow,
  type RosterStatus,
  rosterStatuses,
} from '#shared/contracts/subjects/roster.ts'

export interface SortedRows {
  readonly size: number
  /** Returns the revision of the subject from which the present row was made; null: the subject has no row. */
  revOf(id: string): number | null
  ids(): Iterable<string>
  /** Adds or replaces a row, unless the present row has the same or a higher revision. */
  put(row: RosterRow): void
  remove(id: string): void
  page(filters: RosterFilters & { from: number; count: number }): RosterPage
}

/** A row with the values by which it is sorted and searched. */
interface Entry {
  row: RosterRow
  rank: number
  name: string
  text: string
}

export function createSortedRows(): SortedRows {
  const byId = new Map<string, Entry>()
  const sorted: Entry[] = []
  let isSorted = true
  const counts = noCounts()

  const count = ({ row: { status, maintenanceUntil } }: Entry, by: 1 | -1) => {
    counts[status] += by
    if (maintenanceUntil !== null) counts.maintenance += by
  }
  const remove = (id: string) => {
    const entry = byId.get(id)
    if (entry === undefined) return
    sort()
    sorted.splice(placeOf(sorted, entry), 1)
    byId.delete(id)
    count(entry, -1)
  }
  /** Sorts added rows only when the order is needed, so that many rows of one read are sorted together. */
  const sort = () => {
    if (!isSorted) sorted.sort(compare)
    isSorted = true
  }
  return {
    get size() {
      return byId.size
    },
    revOf: id => byId.get(id)?.row.rev ?? null,
    ids: () => byId.keys(),
    put: row => {
      const known = byId.get(row.id)
      if (known !== undefined && known.row.rev >= row.rev) return
      const entry = entryOf(row)
      if (known !== undefined) {
        remove(row.id)
        sorted.splice(placeOf(sorted, entry), 0, entry)
      } else {
        sorted.push(entry)
        isSorted = false
      }
      byId.set(row.id, entry)
      count(entry, 1)
    },
    remove,
    page: ({ from, count: size, ...filters }) => {
      sort()
      const found = isOpen(filters) ? sorted : sorted.filter(fitting(filters))
      return { total: found.length, counts: { ...counts }, rows: found.slice(from, from + size).map(({ row }) => row) }
    },
  }
}

const noCounts = (): RosterCounts => ({
  down: 0,
  no_data: 0,
  pending: 0,
  recovering: 0,
  partly_known: 0,
  unknown: 0,
  up: 0,
  maintenance: 0,
})

function entryOf(row: RosterRow): Entry {
  const name = row.name.toLowerCase()
  const text = [name, row.key.toLowerCase(), row.host ?? ''].join('\n')
  return { row, rank: rosterStatuses.indexOf(row.status), name, text }
}

function compare(one: Entry, other: Entry): number {
  if (one.rank !== other.rank) return one.rank - other.rank
  if (one.name !== other.name) return one.name < other.name ? -1 : 1
  return one.row.id < other.row.id ? -1 : one.row.id === other.row.id ? 0 : 1
}

/** Returns the index of an entry in a sorted list, or the index at which it must be inserted. */
function placeOf(sorted: readonly Entry[], entry: Entry): number {
  let from = 0
  let to = sorted.length
  while (from < to) {
    const middle = (from + to) >> 1
    if (compare(sorted[middle] as Entry, entry) < 0) from = middle + 1
    else to = middle
  }
  return from
}

const isOpen = ({ status, kind, text }: RosterFilters): boolean => status === 'all' && kind === 'all' && text === ''

const troubles: readonly RosterStatus[] = ['down', 'no_data', 'pending', 'recovering', 'partly_known']

function fitting({ status, kind, text }: RosterFilters): (entry: Entry) => boolean {
  const wanted = text.toLowerCase()
  const fits = statusTest(status)
  return ({ row, text: searched }) => fits(row) && (kind === 'all' || row.kind === kind) && searched.includes(wanted)
}

function statusTest(status: RosterFilters['status']): (row: RosterRow) => boolean {
  if (status === 'all') return () => true
  if (status === 'trouble') return row => troubles.includes(row.status)
  if (status === 'maintenance') return row => row.maintenanceUntil !== null
  return row => row.status === status
}
