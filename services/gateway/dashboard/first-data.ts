// Data of a page's first view, embedded in its HTML: the signed-in person, the workspace, the server's clock, and the rows of the list or
// the shown monitor. Also contains a position in the event stream. The page receives all events after this position, and so keeps the data
// current.
import { listPageRows, pagePaths } from '#shared/contracts/session/page-paths.ts'
import type { MonitorPage } from '#shared/contracts/session/session-monitors.ts'
import type { RosterFilters } from '#shared/contracts/subjects/roster.ts'
import { queryText } from '../body/query.ts'
import type { Call } from '../http/answer.ts'
import { findVisitor, type SessionContext, type Visitor, type VisitorCall } from '../session/caller/session-call.ts'
import { monitorOfPage } from '../session/monitors/monitor-page.ts'
import { whoAmI } from '../session/who-am-i.ts'
import { isFilters, monitorPage } from '../v3/monitors/roster.ts'

/** Parts of the session API's context that a page needs. */
export type PageContext = Omit<SessionContext, 'oidc'>

/** Returns the person who is signed in; null: nobody is signed in. */
export const visitorOf = (context: PageContext, call: Call): Promise<Visitor | null> => findVisitor(context, call)

export async function firstData(context: PageContext, call: Call, visitor: Visitor): Promise<object> {
  const session = await whoAmI(context, visitor, call.traceId)
  const ids = session.workspaces.map(({ id }) => id)
  const wished = [queryText(call.request, 'workspace'), context.cookies.workspace(call.request)]
  const workspace = wished.find(id => id !== null && ids.includes(id)) ?? ids[0] ?? null
  const known = { at: context.clock.now(), version: context.version, session, workspace }
  const view = views[call.request.routeOptions.url ?? '']
  if (workspace === null || view === undefined) return known
  // The position in the event stream is read before the data. If the data changes after the position was read, the page receives the change
  // as an event.
  const news = await context.events.position(workspace)
  return { ...known, news, ...(await readView(context, () => view(context, { ...call, visitor }, workspace))) }
}

type View = (context: PageContext, call: VisitorCall, workspace: string) => Promise<{ list?: MonitorPage; monitor?: object }>

/** Functions that read the data of a page, by path of the page. */
const views: Readonly<Partial<Record<string, View>>> = {
  [pagePaths.monitoring]: async (context, call, workspace) => {
    const filters = filtersOf(call)
    if (filters === null) return {}
    return { list: await monitorPage(context, { workspaceId: workspace, filters, from: 0, count: listPageRows }, call.traceId) }
  },
  [pagePaths.monitor]: async (context, call, workspace) => {
    const monitor = await monitorOfPage(context, call)
    // If the monitor belongs to another workspace, no data is sent. The page switches to the monitor's workspace and reads the monitor
    // itself.
    return monitor.workspace_id === workspace ? { monitor } : {}
  },
}

/** Returns the filters in the address of the list. Null: the address has others, so the page reads its rows itself. */
function filtersOf({ request }: Call): RosterFilters | null {
  const { workspace: _, q: text = '', status = 'all', ...others } = request.query as Record<string, string | string[]>
  const filters = { status, kind: 'all', text }
  return Object.keys(others).length === 0 && isFilters(filters) ? filters : null
}

/** Returns the data, or an empty object if the read is refused or unavailable. The page then reads the data itself. */
async function readView<T extends object>(context: PageContext, read: () => Promise<T>): Promise<T | object> {
  try {
    return await read()
  } catch (error) {
    context.logger.debug({ err: error }, 'page made without its first view')
    return {}
  }
}
