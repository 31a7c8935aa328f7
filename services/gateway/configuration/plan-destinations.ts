// Steps of destinations. Names are matched without case, as in the API. URLs come from the environment. Only new destinations need a URL,
// because the API never returns the URL of an existing one. Pure.
//
// The API can move the default mark to another destination. The API removes the mark only when the marked destination is deleted (v3 10.1).
// So to unmark a destination, a step creates a temporary default destination (the stand-in) and deletes it again.

import { apiPath } from '#shared/api-v3/api-path.ts'
import { channelOf, hasTopField, plainChannel } from '#shared/channels/registry.ts'
import { ownFields } from '#shared/channels/settings.ts'
import { isSteps, withStepNames } from '#shared/channels/steps.ts'
import type { SentDestination } from '#shared/contracts/notifications/sent-destination.ts'
import { limits } from '#shared/limits/limits.ts'
import { isHttpUrl } from '#shared/net/http-url.ts'
import { hidden } from '#shared/secrecy/redacted-value.ts'
import { isSameValue } from '#shared/text/same-value.ts'
import { faultAt } from './document.ts'
import type { Faults } from './file-fault.ts'
import { variableName } from './kept-values.ts'
import { left, type Step, standInName } from './step.ts'
import type { WantedDestination } from './wanted.ts'

export interface KnownDestination {
  /** Id of the destination. If the destination does not exist yet, the field contains a text that cannot be an id. */
  id: string
  name: string
}

interface DestinationPlanContext {
  workspace: string
  environment: Readonly<Record<string, string | undefined>>
  faults: Faults
}

/** Plans the steps. `known`: all destinations, with the names that they have after the steps. */
export function planDestinations(
  given: readonly WantedDestination[],
  present: readonly SentDestination[],
  { workspace, environment, faults }: DestinationPlanContext,
): { steps: Step[]; known: KnownDestination[] } {
  requireOwnVariables(given)
  const wanted = inOrder(given)
  const all = apiPath`/workspaces/${workspace}/destinations`
  const matched = wanted.map(one => ({ one, found: present.find(({ name }) => isSame(name, one.name)) }))
  const unmarked = unmarkedBy(wanted, present)
  const renamed = present.map(({ id, name }) => ({ id, name: matched.find(({ found }) => found?.id === id)?.one.name ?? name }))
  const added = matched.flatMap(({ one, found }) => (found === undefined ? [{ id: `new ${one.name}`, name: one.name }] : []))
  const known = [...renamed, ...added]
  const steps = faults.each(matched, ({ one, found }) => {
    const exact = withExactNames(one, known)
    if (found === undefined) return made(exact, all, environment)
    const shown = found.settings === undefined ? found : { ...found, settings: withStepNames(found.settings, known) }
    return changed(exact, shown, `${all}/${encodeURIComponent(found.id)}`, environment)
  })
  return {
    steps: [...steps.map((step, i) => (unmarked.has(i) ? withoutMark(step, all) : step)), ...leftStandIn(wanted, present, all)],
    known,
  }
}

/** Returns destinations that pass messages on after those that their steps may name. */
const inOrder = (wanted: readonly WantedDestination[]): WantedDestination[] => [
  ...wanted.filter(one => !passesOn(one)),
  ...wanted.filter(passesOn),
]

export const passesOn = ({ type }: { type: string }): boolean => channelOf(type).stepsOf !== undefined

/** Returns the destination with the names of its steps as the workspace writes them. Throws for a step that names no destination. */
function withExactNames(one: WantedDestination, known: readonly KnownDestination[]): WantedDestination {
  const exact = ([key, value]: [string, unknown]) => {
    if (!isSteps(value)) return [key, value]
    const steps = value.map((step, i) => {
      const found = known.find(({ name }) => isSame(name, step.destination))
      if (found !== undefined) return { ...step, destination: found.name }
      throw faultAt(one.source, `settings.${key}.${i}.destination`, `"${step.destination}" is no destination of the workspace`)
    })
    return [key, steps]
  }
  return { ...one, settings: Object.fromEntries(Object.entries(one.settings).map(exact)) }
}

export const isSame = (name: string, other: string): boolean => name.toLowerCase() === other.toLowerCase()

/** Returns the environment variable of a destination: `On call` becomes `WATCHKEEPER_DESTINATION_ON_CALL_URL`. */
export const variableOf = (name: string): string => variableName(['DESTINATION', name, 'URL'])

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

function urlOf({ source, name }: WantedDestination, environment: DestinationPlanContext['environment']): string {
  const variable = variableOf(name)
  const url = environment[variable] ?? ''
  if (isHttpUrl(url, limits.destination.urlCharacters)) return url
  const fault = url === '' ? `"${name}" is new: set ${variable} to its URL` : `${variable} must be an http or https URL`
  throw faultAt(source, 'name', fault).mendedBy({ variable, value: `URL of ${name}` })
}

/** Returns the secret settings that the environment has, by the name of their variable. */
function secretsOf({ name, type }: WantedDestination, environment: DestinationPlanContext['environment']) {
  const secrets = ownFields(channelOf(type)).filter(({ mark }) => mark === 'secret')
  return secrets.map(({ key, type: of, isRequired = false }) => {
    const variable = variableName(['DESTINATION', name, key])
    const text = environment[variable] || undefined
    return { key, isRequired, variable, value: of === 'string_list' ? text?.split('\n').filter(line => line !== '') : text }
  })
}

const settled = (settings: object) => (Object.keys(settings).length === 0 ? {} : { settings })

function made(one: WantedDestination, path: string, environment: DestinationPlanContext['environment']): Step {
  const { source, name, type, channel, enabled, sendOnOpen } = one
  const isDefault = one.isDefault === true
  const secrets = secretsOf(one, environment)
  const lacking = secrets.find(({ isRequired, value }) => isRequired && value === undefined)
  if (lacking !== undefined) {
    const { variable, key } = lacking
    const fault = faultAt(source, 'name', `"${name}" is new: set ${variable} to its ${key}`)
    throw fault.mendedBy({ variable, value: `${key} of ${name}` })
  }
  const given = secrets.flatMap(({ key, value }) => (value === undefined ? [] : [[key, value]]))
  const place = {
    ...(hasTopField(type, 'url') ? { url: urlOf(one, environment) } : {}),
    ...(channel === '' ? {} : { channel }),
    ...settled({ ...one.settings, ...Object.fromEntries(given) }),
  }
  const fields = { name, type, ...place, send_on_open: sendOnOpen }
  const step = { phase: 'destinations', kind: 'Destination', name, source } as const
  const body = { ...fields, enabled: enabled || isDefault, default: isDefault }
  const post = { api: 'v3', method: 'POST', path, body } as const
  // A disabled destination cannot become the default. So the first request creates the destination as an enabled default, and a second
  // request disables it.
  const isSwitchedOff = isDefault && !enabled
  const off = { api: 'v3', method: 'PATCH', path, body: { enabled: false }, isBelowMade: true } as const
  return { ...step, verb: 'made', what: '', requests: isSwitchedOff ? [post, off] : [post] }
}

/** Returns the settings that differ; null takes the default back. A secret is sent if the environment has it. */
function changedSettings(one: WantedDestination, found: SentDestination, environment: DestinationPlanContext['environment']) {
  const shown = ownFields(channelOf(one.type)).filter(({ mark }) => mark !== 'secret')
  const differing = shown.filter(
    field => !isSameValue(one.settings[field.key] ?? field.default, found.settings?.[field.key] ?? field.default),
  )
  const secrets = secretsOf(one, environment).flatMap(({ key, value }) => (value === undefined ? [] : [[key, value]]))
  return Object.fromEntries([...differing.map(({ key }) => [key, one.settings[key] ?? null]), ...secrets])
}

/** Returns old and new values of settings for people, without secrets. */
const settingChanges = (one: WantedDestination, found: SentDestination, changes: Readonly<Record<string, unknown>>) =>
  ownFields(channelOf(one.type))
    .filter(({ key }) => Object.hasOwn(changes, key))
    .map(({ key, mark }) => ({
      member: `settings.${key}`,
      old: found.settings?.[key] ?? null,
      new: mark === 'secret' ? hidden : changes[key],
    }))

function changed(
  one: WantedDestination,
  found: SentDestination,
  path: string,
  environment: DestinationPlanContext['environment'],
): Step {
  const { source, name, type, channel, enabled, sendOnOpen, isDefault } = one
  if (type !== found.type) throw faultAt(source, 'type', `"${found.name}" is a ${found.type}, and a type never changes`)
  const becomesDefault = isDefault === true && !found.default
  const settings = changedSettings(one, found, environment)
  const own = {
    ...(name === found.name ? {} : { name }),
    ...(channel === found.channel ? {} : { channel }),
    ...(enabled === found.enabled ? {} : { enabled }),
    ...(sendOnOpen === found.send_on_open ? {} : { send_on_open: sendOnOpen }),
    ...(becomesDefault ? { default: true } : {}),
  }
  const change = { ...own, ...settled(settings) }
  const step = { phase: 'destinations', kind: 'Destination', name, source } as const
  if (Object.keys(change).length === 0) return left(step)
  const patch = (body: object) => ({ api: 'v3', method: 'PATCH', path, body }) as const
  const isSwitchedOff = becomesDefault && !enabled
  const requests = isSwitchedOff ? [patch({ ...change, enabled: true }), patch({ enabled: false })] : [patch(change)]
  const members = Object.entries(own).map(([member, now]) => ({
    member,
    old: found[member as keyof SentDestination],
    new: now,
  }))
  const changes = [...members, ...settingChanges(one, found, settings)]
  return { ...step, verb: 'changed', what: changes.map(({ member }) => member).join(', '), changes, requests }
}

/**
 * Temporary destination to which the API moves the default mark. Nothing listens at its URL. If a run stops before it deletes the stand-in,
 * the next run deletes it.
 */
export const standIn = {
  name: standInName,
  type: plainChannel.type,
  url: 'https://stand-in.invalid/',
} as const

/**
 * Returns the indices of wanted destinations with `default: false` that would nevertheless be the default after the API's own rule. Follows
 * the API's rule for the default mark (v3 10.1).
 */
function unmarkedBy(wanted: readonly WantedDestination[], present: readonly SentDestination[]): ReadonlySet<number> {
  const now = new Map(present.map(({ name, enabled }) => [name.toLowerCase(), enabled]))
  let marked = present.find(one => one.default)?.name.toLowerCase() ?? null
  const unmarked = new Set<number>()
  // If another destination becomes the default, no stand-in is needed.
  if (wanted.some(({ isDefault }) => isDefault)) return unmarked
  for (const [i, { name, enabled, isDefault }] of wanted.entries()) {
    const key = name.toLowerCase()
    const isSwitchedOn = enabled && now.get(key) !== true
    if (isSwitchedOn && marked === null && ![...now].some(([other, isOn]) => other !== key && isOn)) marked = key
    now.set(key, enabled)
    if (marked !== key || isDefault !== false) continue
    unmarked.add(i)
    marked = null
  }
  return unmarked
}

function withoutMark(step: Step, path: string): Step {
  const take = { api: 'v3', method: 'POST', path, body: { ...standIn, default: true } } as const
  const drop = { api: 'v3', method: 'DELETE', path, isBelowMade: true } as const
  const verb = step.verb === 'left' ? 'changed' : step.verb
  const what = verb === 'made' ? 'not the default' : [step.what, 'default'].filter(Boolean).join(', ')
  return { ...step, verb, what, requests: [take, ...step.requests, drop] }
}

/**
 * Deletes a stand-in that an earlier run left behind. The stand-in keeps the default mark until it is deleted, so its deletion is the last
 * step of the destinations.
 */
function leftStandIn(wanted: readonly WantedDestination[], present: readonly SentDestination[], path: string): Step[] {
  const found = present.find(({ name }) => name === standIn.name)
  if (found === undefined || wanted.some(({ name }) => isSame(name, standIn.name))) return []
  const step = { phase: 'destinations', kind: 'Destination', name: standIn.name, source: null } as const
  const request = { api: 'v3', method: 'DELETE', path: `${path}/${encodeURIComponent(found.id)}` } as const
  return [{ ...step, verb: 'deleted', what: '', requests: [request] }]
}
