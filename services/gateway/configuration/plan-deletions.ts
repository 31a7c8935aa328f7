// Steps that remove objects which the files do not contain, planned only with --prune. The API cannot delete Templates, so Templates stay.
// The API cannot delete Resources, so Resources are archived instead. A destination stays while a remaining Template refers to the
// destination. Pure.

import { apiPath } from '#shared/api-v3/api-path.ts'
import { isSteps } from '#shared/channels/steps.ts'
import type { SettingStep } from '#shared/contracts/notifications/destination.ts'
import type { SentDestination } from '#shared/contracts/notifications/sent-destination.ts'
import { fileKindOf } from './kinds.ts'
import { isSame, passesOn, standIn } from './plan-destinations.ts'
import { highest, type Revisions } from './plan-templates.ts'
import { inWorkspace, type Present, type PresentSubject, tablePath } from './present.ts'
import { left, type Phase, type Step, type StepRequest } from './step.ts'
import type { WantedConfiguration } from './wanted.ts'

interface DeletionPlanContext {
  workspace: string
  revisions: Revisions
}

const ofDestination = { phase: 'unused destinations', kind: 'Destination', source: null } as const

export function planDeletions(
  wanted: WantedConfiguration,
  present: Present,
  { workspace, revisions }: DeletionPlanContext,
): Step[] {
  const keys = new Set([...wanted.resources, ...wanted.subjects].map(({ key }) => key))
  const { classic } = present
  // If generation 2 is switched off, no file can contain a custom subject, so custom subjects stay.
  const active = present.resources.filter(one => one.archived_at === null && (one.template !== null || classic !== null))
  const unused = active.filter(({ key }) => !keys.has(key))
  const steps =
    classic === null
      ? []
      : [...unusedTables(wanted, present, keys, workspace), ...unusedParts(wanted, classic.subjects, workspace)]
  const archived = unused.map(({ id, key, template }) => {
    const path = apiPath`/workspaces/${workspace}/resources/${id}/archive`
    return {
      ...gone('unused resources', fileKindOf(template), key, { api: 'v3', method: 'POST', path }),
      verb: 'archived',
    } as const
  })
  const unwanted = present.destinations.filter(
    ({ name }) => name !== standIn.name && !wanted.destinations.some(one => isSame(one.name, name)),
  )
  // While a destination passes messages on to another one, the API keeps the other one.
  const destinations = [...unwanted.filter(passesOn), ...unwanted.filter(one => !passesOn(one))]
  const users = usersOf(wanted, revisions)
  const passing = new Map(
    unwanted.flatMap(one => (users.has(one.id) ? stepsIn(one).map(({ destination }) => [destination, one.name] as const) : [])),
  )
  return [
    ...steps,
    ...archived,
    ...destinations.map(({ id, name }) => {
      const user = users.get(id)
      if (user !== undefined) return { ...left({ ...ofDestination, name }), what: `the Template ${user} names it` }
      const other = passing.get(id)
      if (other !== undefined) return { ...left({ ...ofDestination, name }), what: `the Destination ${other} names it` }
      const path = apiPath`/workspaces/${workspace}/destinations/${id}`
      return gone('unused destinations', 'Destination', name, { api: 'v3', method: 'DELETE', path })
    }),
  ]
}

const stepsIn = ({ settings = {} }: SentDestination): SettingStep[] => Object.values(settings).filter(isSteps).flat()

/**
 * Returns a map from a destination to a Template that still refers to it after the steps. Considers only the highest version of a Template,
 * and versions to which a Resource is bound.
 */
function usersOf({ resources }: WantedConfiguration, revisions: Revisions): ReadonlyMap<string, string> {
  const living = [...revisions].filter(([id, { key, version }]) => {
    return version === highest(key, revisions) || resources.some(({ template }) => template === id)
  })
  const uses = living.flatMap(([id, { rules }]) =>
    rules.flatMap(({ destination, routes }) =>
      [destination, ...(routes ?? []).map(route => route.destination)].flatMap(one => (one === null ? [] : [[one, id] as const])),
    ),
  )
  return new Map(uses)
}

/**
 * Removes delivery tables that no file contains. The API removes a table together with its subject, so tables of removed subjects need no
 * step.
 */
function unusedTables(
  wanted: WantedConfiguration,
  { resources, classic }: Present,
  keys: ReadonlySet<string>,
  workspace: string,
): Step[] {
  const named = new Set(wanted.tables.map(({ subject }) => subject))
  return [...(classic?.tables ?? [])].flatMap(([key, rows]) => {
    const owner = resources.find(resource => resource.key === key)
    if (owner === undefined || rows.length === 0 || named.has(key) || !keys.has(key)) return []
    const path = `${tablePath({ id: owner.id, key, isMonitor: owner.template !== null })}${inWorkspace(workspace)}`
    return [gone('unused tables', 'DeliveryTable', key, { api: 'v2', method: 'DELETE', path })]
  })
}

/** Removes rules first, then signals. A rule is removed before the rules that it reads. */
function unusedParts(wanted: WantedConfiguration, present: readonly PresentSubject[], workspace: string): Step[] {
  const pairs = wanted.subjects.flatMap(one => {
    const found = present.find(({ key }) => key === one.key)
    return found === undefined ? [] : [{ one, found }]
  })
  const removed = (phase: Phase, kind: string, path: (key: string, part: string) => string) => (key: string, part: string) =>
    gone(phase, kind, `${key}/${part}`, { api: 'v2', method: 'DELETE', path: `${path(key, part)}${inWorkspace(workspace)}` })
  const rule = removed('unused rules', 'Rule', (key, part) => apiPath`/subjects/${key}/rules/${part}`)
  const signal = removed('unused signals', 'Signal', (key, part) => apiPath`/subjects/${key}/signals/${part}`)
  const without = (all: readonly { key: string }[], kept: readonly { key: string }[]) =>
    all.map(({ key }) => key).filter(key => !kept.some(one => one.key === key))
  return [
    ...pairs.flatMap(({ one, found }) =>
      without(found.rules, one.rules)
        .toReversed()
        .map(part => rule(one.key, part)),
    ),
    ...pairs.flatMap(({ one, found }) => without(found.signals, one.signals).map(part => signal(one.key, part))),
  ]
}

const gone = (phase: Phase, kind: string, name: string, request: StepRequest): Step => ({
  verb: 'deleted',
  phase,
  kind,
  name,
  what: '',
  source: null,
  requests: [request],
})
