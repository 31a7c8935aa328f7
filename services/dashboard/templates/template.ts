// Templates of the present workspace from generation 3, and the number of Resources bound to each revision.
import type { SentTemplate } from '#shared/contracts/resources/sent-template.ts'
import { askV3, Refusal, read } from '../data/api.ts'
import { pathTo } from '../data/routing.ts'
import { workspaceId } from '../data/session.ts'

export interface NamedDestination {
  id: string
  name: string
  enabled: boolean
}

/** Number of Resources that are bound to a revision, by `key@version`. A revision without Resources is absent. */
export type Uses = Readonly<Record<string, number>>

export interface TemplatesRead {
  /** Templates in this order: system Templates, then the workspace's own Templates by key and version. */
  templates: readonly SentTemplate[]
  destinations: readonly NamedDestination[]
  uses: Uses
}

const workspacePart = () => encodeURIComponent(workspaceId.peek() ?? '')

/** Returns the path of generation 3 for a path below the present workspace. */
export const inWorkspace = (path: string): string => `/workspaces/${workspacePart()}${path}`

/** Reads the Templates, the destinations and the numbers of bound Resources. Rejects with a Refusal. */
export async function readTemplates(): Promise<TemplatesRead> {
  const [templates, destinations, uses] = await Promise.all([readAll(), readDestinations(), readUses()])
  return { templates, destinations, uses }
}

const readAll = () => askV3<readonly SentTemplate[]>('GET', inWorkspace('/templates'))

export const readDestinations = () => askV3<readonly NamedDestination[]>('GET', inWorkspace('/destinations'))

/** Returns the highest revision that can be read; null: there is none. All others are read only if the highest one is missing or damaged. */
export async function readHighest(key: string): Promise<SentTemplate | null> {
  try {
    return await askV3<SentTemplate>('GET', inWorkspace(`/templates/${encodeURIComponent(key)}`))
  } catch (error) {
    if (!(error instanceof Refusal) || error.status !== 404) throw error
    const revisions = (await readAll()).filter(one => one.key === key)
    return revisions.toSorted((one, other) => other.version - one.version)[0] ?? null
  }
}

export async function readUses(): Promise<Uses> {
  const { uses } = await read<{ uses: Uses }>(`/session/workspaces/${workspacePart()}/template-uses`)
  return uses
}

/** Returns true for a system Template, which nobody can publish. */
export const isSystem = ({ system, rules }: Pick<SentTemplate, 'system' | 'rules'>): boolean =>
  system ?? rules.some(({ decision }) => decision === null)

/**
 * Returns the path of a Template's page. For a Template with the key `new`, the path also contains the version, because the path without it
 * leads to the page that creates a Template.
 */
export const pathOfTemplate = (key: string, version: number): string =>
  pathTo('template', { key: key === 'new' ? `new@${version}` : key })

/** Returns the key from `key@version`. */
export const keyOf = (reference: string): string => reference.split('@', 1)[0] ?? reference
