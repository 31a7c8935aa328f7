// Present objects of a workspace, read by the routes of the API. Generation 2 is used only for data that generation 3 lacks.

import { apiPath } from '#shared/api-v3/api-path.ts'
import { inParallel } from '#shared/async/in-parallel.ts'
import type { SentDestination } from '#shared/contracts/notifications/sent-destination.ts'
import type { SentTemplate } from '#shared/contracts/resources/sent-template.ts'
import { limits } from '#shared/limits/limits.ts'
import { isOfGenerations1And2 } from '#shared/subjects/classic-kind.ts'
import { type Clients, RouteRefusal, read, readPages } from './api.ts'
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

export interface ReadOptions {
  /** Whether generation 2 is read at all. */
  withClassic: boolean
  /** Keys of the subjects whose delivery tables are read; null: the tables of all subjects. */
  tablesOf: ReadonlySet<string> | null
}

/** Reads the workspace. Throws RouteRefusal. */
export async function readPresent(clients: Clients, { withClassic, tablesOf }: ReadOptions): Promise<Present> {
  const root = apiPath`/workspaces/${clients.workspace}`
  const [locations, destinations, templates, resources] = await Promise.all([
    read<Present['locations']>(clients, 'v3', '/locations'),
    read<SentDestination[]>(clients, 'v3', `${root}/destinations`),
    read<SentTemplate[]>(clients, 'v3', `${root}/templates`),
    readPages<PresentResource>(clients, `${root}/resources?state=all&answers=named`),
  ])
  const present = {
    locations,
    destinations,
    templates: templates.filter(({ system, rules }) => !system && rules.every(({ decision }) => decision !== null)),
    resources,
  }
  const classic = withClassic ? await readClassic(clients, present.resources, tablesOf) : null
  return { ...present, classic }
}

async function readClassic(clients: Clients, resources: readonly PresentResource[], tablesOf: ReadOptions['tablesOf']) {
  const get: Get = path => read(clients, 'v2', `${path}${inWorkspace(clients.workspace)}`)
  try {
    const listed = await get<{ id: string }[]>('/subjects')
    const custom = new Set(resources.flatMap(({ key, template }) => (template === null ? [key] : [])))
    const subjects = await inParallel(
      listed.filter(({ id }) => custom.has(id)),
      limits.configuration.requestsAtOnce,
      ({ id }) => readSubject(get, id),
    )
    const active = new Set(resources.flatMap(({ key, archived_at }) => (archived_at === null ? [key] : [])))
    const customMonitors = listed.flatMap(({ id }) => (active.has(id) && !custom.has(id) ? [id] : []))
    const owners = resources.filter(one => one.archived_at === null && hasTable(one) && (tablesOf?.has(one.key) ?? true))
    const tables = await inParallel(
      owners,
      limits.configuration.requestsAtOnce,
      async owner => [owner.key, await readTable(get, owner)] as const,
    )
    return { subjects, customMonitors, tables: new Map(tables), numbers: await readNumbers(clients) }
  } catch (error) {
    if (error instanceof RouteRefusal && error.status === 410) return null
    throw error
  }
}

/**
 * Whether a Resource has a delivery table. A Resource of a published Template has none, because the Template's rules name the destinations.
 */
const hasTable: (resource: PresentResource) => boolean = isOfGenerations1And2

type Get = <T>(path: string) => Promise<T>

/** Query of a path of generation 2. */
export const inWorkspace = (workspace: string): string => `?workspace_id=${encodeURIComponent(workspace)}`

/** Returns a map from the name of a destination in lower case to the number that identifies it in generation 2. */
export async function readNumbers(clients: Clients): Promise<Map<string, number>> {
  const path = `/notifications/destinations${inWorkspace(clients.workspace)}`
  const all = await read<{ id: number; name: string }[]>(clients, 'v2', path)
  return new Map(all.map(({ id, name }) => [name.toLowerCase(), id]))
}

interface ClassicSignal {
  id: string
  name: string
  signal_kind: string
  meta: Record<string, unknown>
}

async function readSubject(get: Get, key: string): Promise<PresentSubject> {
  const signals = await get<ClassicSignal[]>(apiPath`/subjects/${key}/signals`)
  const rules = await get<{ id: string; name: string; document: PolicyDocument }[]>(apiPath`/subjects/${key}/rules`)
  const read = rules.map(({ id, name, document }) => ({ key: id, name, document }))
  return {
    key,
    signals: signals.map(({ id, name, signal_kind, meta }) => {
      return { key: id, name, kind: signal_kind === 'custom_event' ? 'event' : 'heartbeat', meta }
    }),
    rules: inReadingOrder(read) ?? read,
  }
}

async function readTable(get: Get, { id, key, template }: PresentResource): Promise<TableRow[]> {
  const path = tablePath({ id, key, isMonitor: template !== null })
  const { selections } = await get<{ selections: { destination_name: string; alert_kinds: string[] }[] }>(path)
  return selections.map(({ destination_name, alert_kinds }) => ({ destination: destination_name, on: alert_kinds }))
}

export const tablePath = ({ id, key, isMonitor }: { id: string; key: string; isMonitor: boolean }): string =>
  isMonitor ? apiPath`/monitoring/websites/${id}/delivery` : apiPath`/subjects/${key}/delivery`
