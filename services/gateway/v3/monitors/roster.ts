// GET /workspaces/{ws}/monitors: the unarchived Resources of a workspace as rows, ordered from the worst status to the best. Reference:
// docs/reference/v3.md, 9.8.
import { Type } from 'typebox'
import { MonitorPage, MonitorRow } from '#shared/contracts/session/session-monitors.ts'
import { type RosterFilters, rosterAsks } from '#shared/contracts/subjects/roster.ts'
import { firstRefusal } from '#shared/json-shape/first-refusal.ts'
import { timestamp } from '../../body/instants.ts'
import { Instant } from '../../body/result-schema.ts'
import type { GatewayContext } from '../../context.ts'
import { Paged } from '../../http/route.ts'
import { sayCauses } from '../../subjects/named-causes.ts'
import { route } from '../common.ts'
import { formatCursor, limitOf, pageQuery, readCursor } from '../paging.ts'
import { monitorRow } from './monitor-row.ts'

const { status, kind, text } = rosterAsks['list-roster'].properties
const { total, counts } = MonitorPage.properties

const list = route('GET', '/workspaces/:workspace/monitors', {
  summary: 'Resources with status and open Incident, the worst first, then by name; archived ones are left out.',
  more: 'As last recorded. `meta` has the counts of the whole workspace.',
  needs: { role: 'viewer', scope: null },
  isAudited: false,
  query: {
    ...pageQuery,
    status: { schema: status, meaning: '`trouble`: everything but up and unknown. `all` unless sent.' },
    kind: { schema: kind, meaning: '`all` unless sent.' },
    search: { schema: text, meaning: 'Part of the name, the key or the host, in any case.' },
    from: {
      schema: Type.Integer({ minimum: 0, maximum: 1_000_000 }),
      meaning: 'Begins at this row, from 0 on, without a cursor.',
    },
  },
  result: Type.Array(MonitorRow),
  meta: {
    at: Instant,
    total,
    counts,
  },
  refusals: ['422 limit', '422 cursor', '422 status', '422 kind', '422 search', '422 from'],
  handler: async (context, call) => {
    const { workspaceId, query, traceId } = call
    const from = Number(readCursor(call) ?? query['from'] ?? 0)
    const filters = {
      status: query['status'] ?? 'all',
      kind: query['kind'] ?? 'all',
      text: query['search'] ?? '',
    } as RosterFilters
    const page = await monitorPage(context, { workspaceId, filters, from, count: limitOf(call) }, traceId)
    const { at, total, counts, rows } = page
    const end = from + rows.length
    return new Paged(rows, formatCursor(call, rows.length > 0 && end < total ? String(end) : null), { at, total, counts })
  },
})

interface Wanted {
  workspaceId: string
  filters: RosterFilters
  /** First row, from 0. */
  from: number
  count: number
}

/** Returns rows of the list, with the counts of the workspace. */
export async function monitorPage(
  context: Pick<GatewayContext, 'clock' | 'directory' | 'incidentIds' | 'locationNames'>,
  { filters, ...wanted }: Wanted,
  traceId: string,
): Promise<MonitorPage> {
  const { clock, directory, incidentIds } = context
  const { total, counts, rows } = await directory.ask('list-roster', { ...wanted, ...filters }, traceId)
  const sayCause = await sayCauses(
    context,
    rows.flatMap(({ incident, why }) => [incident?.cause, why]),
    traceId,
  )
  const places = new Set(rows.flatMap(({ check }) => check?.locations ?? []))
  const namesOf = await context.locationNames.namer(places, traceId)
  const words = { encode: incidentIds.encode, sayCause, placeOf: (id: string) => namesOf([id])[0] ?? null }
  return { at: timestamp(clock.now()), total, counts, from: wanted.from, rows: rows.map(row => monitorRow(row, words)) }
}

const Filters = Type.Object({ status, kind, text })

/** Returns whether a list can be read with these filters. */
export const isFilters = (filters: { status: unknown; kind: unknown; text: unknown }): filters is RosterFilters =>
  firstRefusal(Filters, filters) === null

export const rosterRoutes = [list]
