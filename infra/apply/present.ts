// The present objects of a workspace, read over the API: by lists if there are lists. Generation 2 is asked only for what generation 3 lacks.
import { ClassicGone } from '#shared/api-v2/client.ts'
import { apiPath } from '#shared/api-v3/client.ts'
import type { ApiRequest } from '#shared/api-v3/exchange.ts'
import { inParallel } from './in-parallel.ts'
import { inReadingOrder, type PolicyDocument, type SubjectRule } from './subject-rules.ts'
import type { SentTemplate } from './template-manifest.ts'
import type { SubjectSignal, TableRow } from './wanted.ts'

export interface PresentDestination {
  id: string
  name: string
  type: 'slack' | 'webhook'
  channel: string
  enabled: boolean
  send_on_open: boolean
  default: boolean
}

export interface PresentResource {
  id: string
  key: string
  name: string
  /** key@version; null: a custom subject. */
  template: string | null
  meta: Readonly<Record<string, unknown>>
  labels: Readonly<Record<string, string>>
  archived_at: string | null
}

/** Signals and rules of a custom subject, from generation 2; name and labels are those of its Resource. */
export interface PresentSubject {
  key: string
  signals: SubjectSignal[]
  rules: SubjectRule[]
}

export interface Present {
  locations: { id: string; name: string }[]
  destinations: PresentDestination[]
  /** Published ones, every revision. */
  templates: SentTemplate[]
  resources: PresentResource[]
  /** Null: generation 2 is switched off. */
  classic: {
    subjects: PresentSubject[]
    /** Keys of active monitors that have signals or rules of their own, which generation 2 calls custom. */
    customMonitors: string[]
    tables: Map<string, TableRow[]>
    numbers: Map<string, number>
  } | null
}

/** Results are taken to be what the contract of the API says. */
export interface Clients {
  api: {
    read<T>(path: string): Promise<T>
    /** Every page. */
    list<T>(path: string, query: { state: string }, things: string): Promise<T[]>
    call(request: ApiRequest): Promise<unknown>
    /** Of generation 2. */
    classic(request: ApiRequest): Promise<unknown>
  }
  workspace: string
}

export interface ReadOptions {
  /** False: generation 2 is not asked at all. */
  withClassic: boolean
  /** Keys whose delivery tables are read; null: all. */
  tablesOf: ReadonlySet<string> | null
}

/** Throws as the clients do. */
export async function readPresent(clients: Clients, { withClassic, tablesOf }: ReadOptions): Promise<Present> {
  const { api, workspace } = clients
  const root = apiPath`/workspaces/${workspace}`
  const [locations, destinations, templates, resources] = await Promise.all([
    api.read<Present['locations']>('/locations'),
    api.read<PresentDestination[]>(`${root}/destinations`),
    api.read<SentTemplate[]>(`${root}/templates`),
    api.list<PresentResource>(`${root}/resources`, { state: 'all' }, 'Resources'),
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
      ({ id }) => readSubject(get, id),
    )
    const active = new Set(resources.flatMap(({ key, archived_at }) => (archived_at === null ? [key] : [])))
    const customMonitors = listed.flatMap(({ id }) => (active.has(id) && !custom.has(id) ? [id] : []))
    const owners = resources.filter(one => one.archived_at === null && hasTable(one) && (tablesOf?.has(one.key) ?? true))
    const tables = await inParallel(owners, async owner => [owner.key, await readTable(get, owner)] as const)
    return { subjects, customMonitors, tables: new Map(tables), numbers: await readNumbers(clients) }
  } catch (error) {
    if (error instanceof ClassicGone) return null
    throw error
  }
}

/** Resources of a published Template route by their rules alone. */
const hasTable = ({ template }: PresentResource) => template === null || template === websiteTemplate

export const websiteTemplate = 'website-check@1'

/** The number by which generation 2 names each destination. */
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
