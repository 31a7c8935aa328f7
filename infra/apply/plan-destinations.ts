// Steps of destinations. They are matched by name in any case of letters, as the API keeps names apart. URLs come from the environment, and only
// when a destination is made: nothing shows the URL that one has. Pure.
import { apiPath } from '#shared/api-v3/client.ts'
import { isHttpUrl } from '#shared/http-url.ts'
import { limits } from '#shared/limits.ts'
import { faultAt } from './document.ts'
import type { PresentDestination } from './present.ts'
import { left, type Step } from './step.ts'
import type { WantedDestination } from './wanted.ts'

export interface KnownDestination {
  /** Of one that is not made yet, a text that no id is. */
  id: string
  name: string
}

interface Surroundings {
  workspace: string
  environment: Readonly<Record<string, string | undefined>>
}

/** `known` are all destinations as they are named after the steps. */
export function planDestinations(
  wanted: readonly WantedDestination[],
  present: readonly PresentDestination[],
  { workspace, environment }: Surroundings,
): { steps: Step[]; known: KnownDestination[] } {
  requireOwnVariables(wanted)
  const all = apiPath`/workspaces/${workspace}/destinations`
  const matched = wanted.map(one => ({ one, found: present.find(({ name }) => isSame(name, one.name)) }))
  const steps = matched.map(({ one, found }) =>
    found === undefined ? made(one, all, urlOf(one, environment)) : changed(one, found, `${all}/${encodeURIComponent(found.id)}`),
  )
  const renamed = present.map(({ id, name }) => ({ id, name: matched.find(({ found }) => found?.id === id)?.one.name ?? name }))
  const added = matched.flatMap(({ one, found }) => (found === undefined ? [{ id: `new ${one.name}`, name: one.name }] : []))
  return { steps, known: [...renamed, ...added] }
}

export const isSame = (name: string, other: string): boolean => name.toLowerCase() === other.toLowerCase()

/** `On call` is `WATCHKEEPER_DESTINATION_ON_CALL_URL`. */
export const variableOf = (name: string): string =>
  `WATCHKEEPER_DESTINATION_${name
    .toUpperCase()
    .replace(/[^A-Z0-9]+/g, '_')
    .replace(/^_|_$/g, '')}_URL`

function requireOwnVariables(wanted: readonly WantedDestination[]): void {
  const names = new Map<string, string>()
  for (const { source, name } of wanted) {
    const variable = variableOf(name)
    const first = names.get(variable)
    if (first !== undefined) {
      throw faultAt(source, 'name', `"${first}" and "${name}" would both take their URL from ${variable}: rename one`)
    }
    names.set(variable, name)
  }
}

function urlOf({ source, name }: WantedDestination, environment: Surroundings['environment']): string {
  const variable = variableOf(name)
  const url = environment[variable] ?? ''
  if (url === '') throw faultAt(source, 'name', `"${name}" is new: set ${variable} to its URL`)
  if (isHttpUrl(url, limits.destination.urlCharacters)) return url
  throw faultAt(source, 'name', `${variable} must be an http or https URL`)
}

function made(one: WantedDestination, path: string, url: string): Step {
  const { source, name, type, channel, enabled, sendOnOpen, isDefault } = one
  const fields = { name, type, url, ...(channel === '' ? {} : { channel }), send_on_open: sendOnOpen }
  const step = { phase: 'destinations', kind: 'Destination', name, source } as const
  const body = { ...fields, enabled: enabled || isDefault, default: isDefault }
  const post = { api: 'v3', method: 'POST', path, body } as const
  // One that is switched off cannot become the default, but keeps that mark.
  const isSwitchedOff = isDefault && !enabled
  const off = { api: 'v3', method: 'PATCH', path, body: { enabled: false }, isBelowMade: true } as const
  return { ...step, verb: 'made', what: '', requests: isSwitchedOff ? [post, off] : [post] }
}

function changed(one: WantedDestination, found: PresentDestination, path: string): Step {
  const { source, name, type, channel, enabled, sendOnOpen, isDefault } = one
  if (type !== found.type) throw faultAt(source, 'type', `"${found.name}" is a ${found.type}, and a type never changes`)
  const becomesDefault = isDefault && !found.default
  const change = {
    ...(name === found.name ? {} : { name }),
    ...(channel === found.channel ? {} : { channel }),
    ...(enabled === found.enabled ? {} : { enabled }),
    ...(sendOnOpen === found.send_on_open ? {} : { send_on_open: sendOnOpen }),
    ...(becomesDefault ? { default: true } : {}),
  }
  const step = { phase: 'destinations', kind: 'Destination', name, source } as const
  if (Object.keys(change).length === 0) return left(step)
  const patch = (body: object) => ({ api: 'v3', method: 'PATCH', path, body }) as const
  const isSwitchedOff = becomesDefault && !enabled
  const requests = isSwitchedOff ? [patch({ ...change, enabled: true }), patch({ enabled: false })] : [patch(change)]
  return { ...step, verb: 'changed', what: Object.keys(change).join(', '), requests }
}
