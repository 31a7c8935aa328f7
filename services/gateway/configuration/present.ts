// Present objects of a workspace, read over the API. Generation 2 is used only for data that generation 3 lacks.

import { apiPath } from '#shared/api-v3/api-path.ts'
import { inParallel } from '#shared/async/in-parallel.ts'
import type { SentDestination } from '#shared/contracts/notifications/sent-destination.ts'
import type { SentTemplate } from '#shared/contracts/resources/sent-template.ts'
import type { ConfigurationApi } from '#shared/contracts/session/configuration-script.ts'
import { clientLimits } from '#shared/limits/limits-of-clients.ts'
import { isOfGenerations1And2 } from '#shared/subjects/classic-kind.ts'
import { inReadingOrder, type PolicyDocument, type SubjectRule } from './subject-rules.ts'
import type { SubjectSignal, TableRow } from './wanted.ts'

export interface PresentResource {
  id: string
  key: string
  name: string
  /** Template of the Resource as key@version; null: the Resource is a custom subject. */
  template: string | null
  /** Answers as they were named: a delay of a monitor that follows the installation's setting is absent. */
  meta: Readonly<Record<string, unknown>>
  labels: Readonly<Record<string, string>>
  archived_at: string | null
}

/** Signals and rules of a custom subject, as generation 2 returns them. The subject's name and labels come from generation 3. */
export interface PresentSubject {
  key: string
  signals: SubjectSignal[]
  rules: SubjectRule[]
}

export interface Present {
  locations: { id: string; name: string }[]
  destinations: SentDestination[]
  /** All revisions of all published Templates. */
  templates: SentTemplate[]
  resources: PresentResource[]
  /** Data of generation 2; null: generation 2 is switched off. */
  classic: {
    subjects: PresentSubject[]
    /** Keys of active monitors that have signals or rules of their own. Generation 2 shows these monitors as custom subjects. */
    customMonitors: string[]
    tables: Map<string, TableRow[]>
    numbers: Map<string, number>
  } | null
}

/** Clients of the API. The types of their results are not checked, because the API's contract guarantees them. */
export interface Clients {
  api: ConfigurationApi
  workspace: string
}

export interface ReadOptions {
  /** Whether generation 2 is read at all. */
  withClassic: boolean
  /** Keys of the subjects whose delivery tables are read; null: the tables of all subjects. */
  tablesOf: ReadonlySet<string> | null
}

/** Reads the workspace. Throws the errors of the clients. */
export async function readPresent(clients: Clients, { withClassic, tablesOf }: ReadOptions): Promise<Present> {
  const { api, workspace } = clients
  const root = apiPath`/workspaces/${workspace}`
  const [locations, destinations, templates, resources] = await Promise.all([
    api.all<Present['locations'][number]>('/locations'),
    api.all<SentDestination>(`${root}/destinations`),
    api.all<SentTemplate>(`${root}/templates`),
    api.list<PresentResource>(`${root}/resources`, { state: 'all', answers: 'named' }, 'Resources'),
  ])
  const present = {
    locations,
    destinations,
    templates: templates.filter(({ rules }) => rules.every(({ decision }) => decision !== null)),
    resources,
  }
  const classic = withClassic ? await readClassic(clients, present.resources, tablesOf) : null
  return { ...present, classic }
}

async function readClassic(clients: Clients, resources: readonly PresentResource[], tablesOf: ReadOptions['tablesOf']) {
  const { api, workspace } = clients
  const get = (path: string) => api.classic({ method: 'GET', path, query: { workspace_id: workspace } })
  try {
    const listed = (await get('/subjects')) as { id: string }[]
    const custom = new Set(resources.flatMap(({ key, template }) => (template === null ? [key] : [])))
    const subjects = await inParallel(
      listed.filter(({ id }) => custom.has(id)),
      clientLimits.requestsAtOnce,
      ({ id }) => readSubject(get, id),
    )
    const active = new Set(resources.flatMap(({ key, archived_at }) => (archived_at === null ? [key] : [])))
    const customMonitors = listed.flatMap(({ id }) => (active.has(id) && !custom.has(id) ? [id] : []))
    const owners = resources.filter(one => one.archived_at === null && hasTable(one) && (tablesOf?.has(one.key) ?? true))
    const tables = await inParallel(
      owners,
      clientLimits.requestsAtOnce,
      async owner => [owner.key, await readTable(get, owner)] as const,
    )
    return { subjects, customMonitors, tables: new Map(tables), numbers: await readNumbers(clients) }
  } catch (error) {
    if (api.isGone(error)) return null
    throw error
  }
}

/**
 * Whether a Resource has a delivery table. A Resource of a published Template has none, because the Template's rules name the destinations.
 */
const hasTable: (resource: PresentResource) => boolean = isOfGenerations1And2

/** Returns a map from the name of a destination in lower case to the number that identifies it in generation 2. */
export async function readNumbers({ api, workspace }: Clients): Promise<Map<string, number>> {
  const path = '/notifications/destinations'
  const all = (await api.classic({ method: 'GET', path, query: { workspace_id: workspace } })) as { id: number; name: string }[]
  return new Map(all.map(({ id, name }) => [name.toLowerCase(), id]))
}

async function readSubject(get: (path: string) => Promise<unknown>, key: string): Promise<PresentSubject> {
  const signals = (await get(apiPath`/subjects/${key}/signals`)) as {
    id: string
    name: string
    signal_kind: string
    meta: Record<string, unknown>
  }[]
  const rules = (await get(apiPath`/subjects/${key}/rules`)) as { id: string; name: string; document: PolicyDocument }[]
  const read = rules.map(({ id, name, document }) => ({ key: id, name, document }))
  return {
    key,
    signals: signals.map(({ id, name, signal_kind, meta }) => {
      return { key: id, name, kind: signal_kind === 'custom_event' ? 'event' : 'heartbeat', meta }
    }),
    rules: inReadingOrder(read) ?? read,
  }
}

async function readTable(get: (path: string) => Promise<unknown>, { id, key, template }: PresentResource): Promise<TableRow[]> {
  const { selections } = (await get(tablePath({ id, key, isMonitor: template !== null }))) as {
    selections: { destination_name: string; alert_kinds: string[] }[]
  }
  return selections.map(({ destination_name, alert_kinds }) => ({ destination: destination_name, on: alert_kinds }))
}

export const tablePath = ({ id, key, isMonitor }: { id: string; key: string; isMonitor: boolean }): string =>
  isMonitor ? apiPath`/monitoring/websites/${id}/delivery` : apiPath`/subjects/${key}/delivery`
