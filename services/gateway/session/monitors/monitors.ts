// GET /session/workspaces/{id}/monitors: one page of the monitors of a workspace, ordered from the worst status to the best.
import { Type } from 'typebox'
import { MonitorPage } from '#shared/contracts/session/session-monitors.ts'
import { type RosterFilters, rosterAsks } from '#shared/contracts/subjects/roster.ts'
import { timestamp } from '../../body/instants.ts'
import type { GatewayContext } from '../../context.ts'
import { type Call, pathPart } from '../../http/answer.ts'
import type { QueryParameter, Route } from '../../http/route.ts'
import { sayCauses } from '../../subjects/named-causes.ts'
import { sessionQuery } from '../caller/query.ts'
import { member, route } from '../caller/session-route.ts'
import { monitorRow } from './monitor-row.ts'

const { status, kind, text, count } = rosterAsks['list-roster'].properties

const query: Record<string, QueryParameter> = {
  status: { schema: status, meaning: '`trouble`: everything but up and unknown. Absent: `all`.' },
  kind: { schema: kind, meaning: 'Absent: `all`.' },
  q: { schema: text, meaning: 'Part of the name, the key or the host, in any case.' },
  from: { schema: Type.Integer({ minimum: 0, maximum: 1_000_000 }), meaning: 'The first row, from 0 on.' },
  count: { schema: count, meaning: 'Rows of the page; absent: 100.' },
}

const listMonitors = route('GET', '/workspaces/:workspaceId/monitors', {
  summary: 'A page of the monitors, the worst first, then by name; archived ones are left out.',
  needs: member,
  query,
  result: MonitorPage,
  refusals: ['invalid'],
  handler: (context, call) => monitorPage(context, call, pathPart(call, 'workspaceId')),
})

/** Returns the page of monitors that a request's query selects. Rejects with `validation` if a parameter is wrong. */
export async function monitorPage(
  context: Pick<GatewayContext, 'clock' | 'directory' | 'incidentIds' | 'locationNames'>,
  call: Call,
  workspaceId: string,
  usualCount = 100,
): Promise<MonitorPage> {
  const { clock, directory, incidentIds } = context
  const asked = sessionQuery(query, call)
  const first = (asked['from'] ?? 0) as number
  const filters = { status: asked['status'] ?? 'all', kind: asked['kind'] ?? 'all', text: asked['q'] ?? '' } as RosterFilters
  const wanted = { workspaceId, ...filters, from: first, count: (asked['count'] ?? usualCount) as number }
  const { total, counts, rows } = await directory.ask('list-roster', wanted, call.traceId)
  const sayCause = await sayCauses(
    context,
    rows.flatMap(({ incident, why }) => [incident?.cause, why]),
    call.traceId,
  )
  const places = new Set(rows.flatMap(({ check }) => check?.locations ?? []))
  const namesOf = await context.locationNames.namer(places, call.traceId)
  const words = { encode: incidentIds.encode, sayCause, placeOf: (id: string) => namesOf([id])[0] ?? null }
  return { at: timestamp(clock.now()), total, counts, from: first, rows: rows.map(row => monitorRow(row, words)) }
}

export const monitorRoutes: readonly Route[] = [listMonitors]
