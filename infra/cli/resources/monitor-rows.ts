// Rows of the list of monitors (v3 9.8) and their figures (v3 13.1), for the commands `list` with a search, and `monitor figures`.

import type { RosterFilters } from '#shared/contracts/subjects/roster.ts'
import { checkedKind } from '#shared/contracts/subjects/subject-kind.ts'
import { limits } from '#shared/limits/limits.ts'
import { notFoundError } from '../../runtime/start-error.ts'
import { type InWorkspace, withWorkspace } from '../api/with-workspace.ts'
import type { ApiOptions } from '../noun.ts'
import { printJson, printTable } from '../terminal/printing.ts'

interface Row {
  id: string
  key: string
  name: string
  template: string | null
  status: string
  why: string | null
  since: string | null
  incident: { id: string; cause: string | null; explanation: string } | null
}

interface Figures {
  resource: string
  p95: number | null
  uptime_30d: number | null
  uptime_since: string
}

export interface SearchOptions extends ApiOptions {
  search?: string
  status?: string
}

/** Statuses that `--status` takes. */
export const statuses = [
  'trouble',
  'maintenance',
  'down',
  'no_data',
  'pending',
  'recovering',
  'partly_known',
  'unknown',
  'up',
] satisfies RosterFilters['status'][]

/** Which rows of the list are meant: those of a kind of subject, and of a Template of it; null: of any. */
export interface RowsOf {
  kind: RosterFilters['kind']
  template: string | null
}

export const everyRow: RowsOf = { kind: 'all', template: null }

export async function listRows(options: SearchOptions, { kind, template }: RowsOf): Promise<void> {
  const { search, status } = options
  const found = await withWorkspace(options, place => rowsOf(place, { kind, search, status }))
  const rows = found.filter(row => template === null || row.template === template)
  if (options.json) return printJson(rows)
  printTable(
    ['key', 'status', 'since', 'name', 'why'],
    rows.map(({ key, status, since, name, incident, why }) => [
      key,
      status,
      since ?? '',
      name,
      incident?.cause ?? incident?.explanation ?? why ?? '',
    ]),
  )
}

/** Prints response time and uptime of monitors with a check, in the order of the list. `named`: id, key or name of one; absent: all. */
export async function printFigures(named: string | undefined, options: ApiOptions): Promise<void> {
  const found = await withWorkspace(options, async place => {
    const all = await rowsOf(place, { kind: checkedKind })
    const rows = named === undefined ? all : choose(all, named)
    const figures = new Map<string, Figures>()
    for (let i = 0; i < rows.length; i += limits.charts.figures) {
      const resources = rows.slice(i, i + limits.charts.figures).map(({ id }) => id)
      const part = await place.api.list<Figures>(`${place.root}/figures`, { resources: resources.join(',') }, 'figures')
      for (const one of part) figures.set(one.resource, one)
    }
    return rows.map(({ id, key, name }) => ({ id, key, name, ...(figures.get(id) ?? unknown) }))
  })
  if (options.json) return printJson(found.map(({ resource: _, ...one }) => one))
  printTable(
    ['key', 'p95', 'uptime 30 d', 'since', 'name'],
    found.map(({ key, p95, uptime_30d: uptime, uptime_since: since, name }) => [
      key,
      p95 === null ? '' : `${Math.round(p95)} ms`,
      uptime === null ? '' : `${(Math.floor(uptime * 100_000) / 1_000).toFixed(3)} %`,
      since?.slice(0, 10) ?? '',
      name,
    ]),
  )
}

const unknown = { resource: '', p95: null, uptime_30d: null, uptime_since: null }

const rowsOf = ({ api, root }: InWorkspace, query: Readonly<Record<string, string | undefined>>): Promise<Row[]> =>
  api.list<Row>(`${root}/monitors`, query, 'monitors')

/** As everywhere, an id or a key is preferred to a name. */
function choose(rows: Row[], named: string): Row[] {
  const exact = rows.filter(({ id, key }) => id === named || key === named)
  const found = exact.length > 0 ? exact : rows.filter(({ name }) => name === named)
  if (found.length > 0) return found
  throw notFoundError(`There is no monitor "${named}".`)
}
