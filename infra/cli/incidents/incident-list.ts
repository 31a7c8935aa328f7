// Lists of Incidents, which are read from the requested workspaces and printed as a table.
import { apiPath } from '#shared/api-v3/api-path.ts'
import { exitCodes, StartError } from '../../runtime/start-error.ts'
import { type Incident, noSuchResource, resourceAt, resourceNamed, type Workspace, workspacesOf } from '../api/look-up-api.ts'
import type { Api } from '../api/with-api.ts'
import type { ApiOptions } from '../noun.ts'
import { filterOf } from '../resources/pairs.ts'
import { printTable } from '../terminal/printing.ts'

export interface ListOptions extends ApiOptions {
  watch?: boolean
  lifecycle?: string
  resource?: string
  template?: string
  meta?: string[]
  label?: string[]
  limit: number
}

export type WorkspaceIncident = Incident & { workspace: { id: string; name: string } }

/** A requested workspace, and the id of the requested Resource in this workspace. */
export type Place = Workspace & { resource: string | undefined }

/**
 * Returns the requested workspaces that have a Resource with the requested id or key. If there is no such workspace, returns the workspaces
 * that have a Resource with the requested name. Throws a StartError if no requested workspace has a Resource with this id, key or name.
 */
export async function placesOf(api: Api, { workspace, resource }: ListOptions): Promise<Place[]> {
  const all = await workspacesOf(api, workspace)
  if (resource === undefined) return all.map(one => ({ ...one, resource }))
  for (const find of [resourceAt, resourceNamed]) {
    const places: Place[] = []
    for (const one of all) {
      const found = await find(api, one.id, resource).catch(nullIfMissing)
      if (found !== null) places.push({ ...one, resource: found.id })
    }
    if (places.length > 0) return places
  }
  throw noSuchResource(resource)
}

function nullIfMissing(error: unknown): null {
  if (error instanceof StartError && error.exitCode === exitCodes.notFound) return null
  throw error
}

/** Returns the Incidents of these workspaces, or of one Resource in each of them, newest first. */
export async function readIncidents(api: Api, places: readonly Place[], options: ListOptions): Promise<WorkspaceIncident[]> {
  const { lifecycle = 'open', template, limit } = options
  const filters = { template, ...filterOf('--meta', options.meta), ...filterOf('--label', options.label) }
  const query = { ...(lifecycle !== 'all' && { lifecycle }), ...filters }
  const found: WorkspaceIncident[] = []
  for (const { id, name, resource } of places) {
    const listed = await api.list<Incident>(apiPath`/workspaces/${id}/incidents`, { ...query, resource }, 'Incidents', limit)
    found.push(...listed.map(incident => ({ ...incident, workspace: { id, name } })))
  }
  return found.toSorted((one, other) => Date.parse(other.opened_at) - Date.parse(one.opened_at))
}

/** Prints a table. An Incident without a known cause has the explanation of its rule in the place of the cause. Lines are cut to `columns` if given. */
export function printIncidents(incidents: readonly WorkspaceIncident[], columns?: number): void {
  printTable(
    ['id', 'state', 'since', 'workspace', 'resource', 'rule', 'taken by', 'cause'],
    incidents.map(one => [
      one.id,
      stateOf(one),
      one.opened_at,
      one.workspace.name,
      one.resource.key,
      one.rule,
      one.acknowledgement?.by ?? '',
      one.cause ?? one.explanation,
    ]),
    columns,
  )
}

/** Returns lifecycle, confirmation and condition as one word. */
export function stateOf({ lifecycle, confirmation, condition }: Incident): string {
  if (lifecycle === 'closed') return 'closed'
  if (condition === 'ok') return 'recovering'
  return confirmation === 'unconfirmed' ? 'unconfirmed' : condition
}
