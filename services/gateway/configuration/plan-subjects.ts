// Steps of custom subjects of generation 2, with their signals and rules. Generation 2 derives keys from names. If generation 2 would
// derive another key from the name of a new object, the first request creates the object with the key as its name. A second request renames
// the object. Pure.

import { apiPath } from '#shared/api-v3/api-path.ts'
import { isSameValue } from '#shared/text/same-value.ts'
import { slugOf } from '#shared/text/slug.ts'
import { faultAt } from './document.ts'
import type { Faults } from './file-fault.ts'
import type { KeptValues } from './kept-values.ts'
import { fileKindOf } from './kinds.ts'
import { labelChange, memberOf } from './plan-resources.ts'
import { inWorkspace, type Present, type PresentSubject } from './present.ts'
import { left, type Step, type StepRequest } from './step.ts'
import type { SubjectRule } from './subject-rules.ts'
import type { SubjectSignal, WantedSubject } from './wanted.ts'

interface SubjectPlanContext {
  workspace: string
  kept: KeptValues
  faults: Faults
}

export function planSubjects(
  wanted: readonly WantedSubject[],
  { resources, classic }: Present,
  { workspace, kept, faults }: SubjectPlanContext,
): Step[] {
  return faults.each(wanted, (sent): Step => {
    const resource = resources.find(({ key }) => key === sent.key)
    const one = withKeptValues(
      sent,
      resource?.labels,
      classic?.subjects.find(({ key }) => key === sent.key),
      kept,
    )
    if (resource !== undefined && resource.archived_at !== null) {
      throw faultAt(one.source, 'key', `${one.key} is archived, and nothing restores it: choose another key`)
    }
    if (resource !== undefined && resource.template !== null) {
      throw faultAt(one.source, 'key', `${one.key} is no custom subject: its kind is ${fileKindOf(resource.template)}`)
    }
    const found = classic?.subjects.find(({ key }) => key === one.key) ?? { key: one.key, signals: [], rules: [] }
    requireKnownInputs(one, found)
    const step = { phase: 'subjects', kind: 'Subject', name: one.key, source: one.source } as const
    const parts = [...signalChanges(one, found, workspace), ...ruleChanges(one, found, workspace)]
    const requests = parts.flatMap(part => part.requests)
    if (resource === undefined)
      return { ...step, verb: 'made', what: '', requests: [...makeSubject(one, workspace), ...requests] }
    const named = renaming(one, resource, workspace)
    const all = [...named, ...requests]
    const what = [...(named.length > 0 ? ['name or labels'] : []), ...parts.map(part => part.what)]
    return all.length === 0 ? left(step) : { ...step, verb: 'changed', what: what.join(', '), requests: all }
  })
}

/** Returns the subject with the labels and the `meta` of signals that its file does not show. */
function withKeptValues(
  one: WantedSubject,
  labels: Readonly<Record<string, string>> | undefined,
  found: PresentSubject | undefined,
  kept: KeptValues,
): WantedSubject {
  const { source, key } = one
  const meant = (members: object, stored: object | undefined, path: string, words: string[]) => {
    const present = stored as Record<string, unknown> | undefined
    const entries = Object.entries(members).map(([name, value]) => {
      const place = { source, path: `${path}.${name}`, words: `${path}.${name} of ${key}` }
      return [
        name,
        kept.meant(value, present && (present[name] ?? null), { ...place, variable: ['SUBJECT', key, ...words, name] }),
      ]
    })
    return Object.fromEntries(entries)
  }
  return {
    ...one,
    labels: meant(one.labels, labels, 'labels', ['LABEL']) as Record<string, string>,
    signals: one.signals.map((signal, i) => {
      const present = found?.signals.find(other => other.key === signal.key)
      return { ...signal, meta: meant(signal.meta, present?.meta, `signals.${i}.meta`, [signal.key]) }
    }),
  }
}

interface Change {
  what: string
  requests: StepRequest[]
}

/** Throws if an input reads a signal or rule that is neither in the files nor in the workspace. */
function requireKnownInputs({ source, signals, rules }: WantedSubject, found: PresentSubject): void {
  const signalKeys = new Set([...signals, ...found.signals].map(({ key }) => key))
  const ruleKeys = new Set([...rules, ...found.rules].map(({ key }) => key))
  for (const { key, document } of rules) {
    // `rules` is sorted so that a rule follows the rules that it reads. So an index in `rules` may differ from the index in the file.
    const at = (source.value['rules'] as { key: string }[]).findIndex(rule => rule.key === key)
    for (const [i, { signal, from }] of document.inputs.entries()) {
      const place = `rules.${at}.document.inputs.${i}`
      if (signal !== undefined && !signalKeys.has(signal))
        throw faultAt(source, `${place}.signal`, `there is no signal ${signal}`)
      if (from !== undefined && !ruleKeys.has(from)) throw faultAt(source, `${place}.from`, `there is no rule ${from}`)
    }
  }
}

function makeSubject({ key, name, labels }: WantedSubject, workspace: string): StepRequest[] {
  const isSlug = slugOf(name) === key
  const body = { workspace_id: workspace, name: isSlug ? name : key }
  const post: StepRequest = { api: 'v2', method: 'POST', path: '/subjects', body, makes: key }
  const change = { ...(isSlug ? {} : { name }), ...memberOf('labels', labels) }
  return [post, ...patchOf(key, change, workspace)]
}

function renaming(
  { key, name, labels }: WantedSubject,
  found: { name: string; labels: Readonly<Record<string, string>> },
  workspace: string,
) {
  const change = { ...(name === found.name ? {} : { name }), ...memberOf('labels', labelChange(labels, found.labels)) }
  return patchOf(key, change, workspace)
}

const patchOf = (key: string, body: object, workspace: string): StepRequest[] =>
  Object.keys(body).length === 0
    ? []
    : [{ api: 'v3', method: 'PATCH', path: apiPath`/workspaces/${workspace}/resources/${key}`, body }]

function signalChanges({ source, key, signals }: WantedSubject, found: PresentSubject, workspace: string): Change[] {
  const all = `${apiPath`/subjects/${key}/signals`}`
  return signals.flatMap((signal, i) => {
    const present = found.signals.find(one => one.key === signal.key)
    if (present !== undefined && present.kind !== signal.kind) {
      throw faultAt(source, `signals.${i}.kind`, `the signal ${signal.key} has the kind ${present.kind}, which never changes`)
    }
    const requests = partRequests(signal, present, { all, workspace, bodyOf: signalBody })
    return requests.length === 0 ? [] : [{ what: `signal ${signal.key}`, requests }]
  })
}

const signalBody = ({ kind, meta }: SubjectSignal) => ({ kind: `custom_${kind}`, meta })

function ruleChanges({ key, rules }: WantedSubject, found: PresentSubject, workspace: string): Change[] {
  const all = apiPath`/subjects/${key}/rules`
  return rules.flatMap(rule => {
    const present = found.rules.find(one => one.key === rule.key)
    const requests = partRequests(rule, present, { all, workspace, bodyOf: ({ document }: SubjectRule) => ({ document }) })
    return requests.length === 0 ? [] : [{ what: `rule ${rule.key}`, requests }]
  })
}

interface Part<T> {
  all: string
  workspace: string
  bodyOf(part: T): object
}

/** Returns the requests for one signal or rule: they create the object, or replace it if it differs from the file. */
function partRequests<T extends { key: string; name: string }>(
  wanted: T,
  present: T | undefined,
  { all, workspace, bodyOf }: Part<T>,
) {
  const { key, name } = wanted
  const query = inWorkspace(workspace)
  const replace: StepRequest = {
    api: 'v2',
    method: 'POST',
    path: `${all}/${encodeURIComponent(key)}${query}`,
    body: { name, ...bodyOf(wanted) },
  }
  if (present !== undefined) return isSameValue(wanted, present) ? [] : [replace]
  const isSlug = slugOf(name) === key
  const body = { name: isSlug ? name : key, ...bodyOf(wanted) }
  const make: StepRequest = { api: 'v2', method: 'POST', path: `${all}${query}`, body, makes: key }
  return isSlug ? [make] : [make, replace]
}
