// Steps of Resources and of website monitors. A file describes the whole Resource. If the file omits an answer, the field returns to its
// default. If the file omits a label, the label is removed. The answer to a secret field is kept if the file omits it or does not show it.
// Pure.

import { apiPath } from '#shared/api-v3/api-path.ts'
import { namedCheckAnswers, readCheckAnswers } from '#shared/checks/check-answers.ts'
import { locations as locationsField } from '#shared/checks/watch-fields.ts'
import { websiteTemplate } from '#shared/checks/website/website-template.ts'
import type { Answers, Template } from '#shared/contracts/resources/template.ts'
import { readAnswers } from '#shared/manifest/answers.ts'
import { ManifestRefusal } from '#shared/manifest/manifest-refusal.ts'
import { findSystemTemplate, isBuiltIn, kindOfTemplate } from '#shared/manifest/system-templates.ts'
import { fileForm, hasHiddenPart } from '#shared/secrecy/file-form.ts'
import { hidden } from '#shared/secrecy/redacted-value.ts'
import { isSameValue } from '#shared/text/same-value.ts'
import { faultAt } from './document.ts'
import type { Faults } from './file-fault.ts'
import type { KeptValues } from './kept-values.ts'
import { fileKindOf } from './kinds.ts'
import { highest, type Revisions } from './plan-templates.ts'
import type { Present, PresentResource } from './present.ts'
import { type Change, left, type Step, type StepRequest } from './step.ts'
import type { WantedResource } from './wanted.ts'

interface ResourcePlanContext {
  workspace: string
  revisions: Revisions
  kept: KeptValues
  faults: Faults
}

type Meta = Readonly<Record<string, unknown>>

/** A wanted Resource, with the data that the plan of its step needs. */
interface Judged {
  one: WantedResource
  template: string
  /** Fields in the order of their declaration. If the file omits the answer to a secret field, the present answer is kept. */
  fields: readonly { key: string; secret: boolean }[]
  /** Answers to the Template's fields that are sent for the Resource, including the defaults. */
  sent: Meta
  answers: Answers
}

export function planResources(
  wanted: readonly WantedResource[],
  { resources, locations }: Present,
  { workspace, revisions, kept, faults }: ResourcePlanContext,
): Step[] {
  const present = new Map(resources.map(resource => [resource.key, resource]))
  return faults.each(wanted, (sent): Step => {
    const found = present.get(sent.key)
    if (found !== undefined) requireSameKind(sent, found)
    const one = withKeptValues(sent, found, kept)
    const reference = one.template ?? websiteTemplate
    const judged = judgeChecked(one, reference, locations) ?? judgeResource(one, reference, { revisions, locations, found })
    return found === undefined ? made(judged, workspace) : changed(judged, found, workspace)
  })
}

/** Returns the Resource with the values that its file does not show. */
function withKeptValues(one: WantedResource, found: PresentResource | undefined, kept: KeptValues): WantedResource {
  const { source, key } = one
  const meant = (part: 'meta' | 'labels', extra: string[]) => {
    const entries = Object.entries(one[part]).map(([name, value]) => {
      const stored = found === undefined ? undefined : (found[part][name] ?? null)
      const place = { source, path: `${part}.${name}`, words: `${part}.${name} of ${key}` }
      return [name, kept.meant(value, stored, { ...place, variable: ['RESOURCE', key, ...extra, name] })]
    })
    // A sealed secret is shown to nobody, so it is kept without being read.
    return Object.fromEntries(found === undefined ? entries : entries.filter(([, value]) => value !== hidden))
  }
  return { ...one, meta: meant('meta', []), labels: meant('labels', ['LABEL']) as Record<string, string> }
}

function requireSameKind({ source, key, template }: WantedResource, found: PresentResource): void {
  if (found.archived_at !== null) {
    throw faultAt(source, 'key', `${key} is archived, and nothing restores it: choose another key`)
  }
  const kind = fileKindOf(found.template)
  if (kind !== fileKindOf(template ?? websiteTemplate))
    throw faultAt(source, 'key', `${key} is ${words[kind]}: its kind is ${kind}`)
}

const words = { Subject: 'a custom subject', Monitor: 'a website monitor', Resource: 'a Resource of a Template' }

interface JudgedWith {
  revisions: Revisions
  locations: Present['locations']
  found: PresentResource | undefined
}

function judgeResource(one: WantedResource, reference: string, { revisions, locations, found }: JudgedWith): Judged {
  const template = revisionOf(one, reference, revisions)
  const { fields } = template
  const lists = fields.filter(({ type }) => type === 'location_list').map(({ key }) => locationsOf(one, key, locations))
  const sent = Object.assign({ ...one.meta }, ...lists) as Meta
  // Secrets that the Resource has stay unless they are sent.
  const kept = Object.entries(found?.meta ?? {}).filter(([key, value]) => value === hidden && isSecret(fields, key))
  const answers = readable(one, () => readAnswers(template, sent, Object.fromEntries(kept) as Answers))
  return { one, template: `${template.key}@${template.version}`, fields, sent, answers }
}

const isSecret = (fields: Judged['fields'], key: string): boolean => fields.some(field => field.key === key && field.secret)

function revisionOf({ source }: WantedResource, reference: string, revisions: Revisions): Template {
  const [key = '', stated = null] = reference.split('@')
  const newest = highest(key, revisions)
  const found = revisions.get(stated === null ? `${key}@${newest}` : reference)
  if (found !== undefined) return found
  // A key that the workspace has published means its own.
  const system = newest === null ? findSystemTemplate(reference) : null
  if (system !== null && !isBuiltIn(system)) return system
  throw faultAt(source, 'template', `there is no Template ${reference}, neither in the files nor in the workspace`)
}

function judgeChecked(one: WantedResource, reference: string, locations: Present['locations']): Judged | null {
  const system = findSystemTemplate(reference)
  const template = `${system?.key}@${system?.version}`
  const kind = kindOfTemplate(template)
  if (system === null || kind === null) return null
  const sent = { ...one.meta, ...locationsOf(one, locationsField.key, locations) }
  const answers = readable(one, () => namedCheckAnswers(readCheckAnswers(kind, sent, null)))
  return { one, template, fields: system.fields, sent, answers }
}

/** Returns the answer with the ids of the Locations. Files name a Location by id or by name. */
function locationsOf({ source, meta }: WantedResource, field: string, known: Present['locations']): Record<string, string[]> {
  const answer = meta[field]
  if (!Array.isArray(answer)) return {}
  const ids = answer.map((named, i) => {
    const found = known.find(({ id }) => id === named) ?? known.find(({ name }) => name === named)
    if (found !== undefined) return found.id
    throw faultAt(source, `meta.${field}.${i}`, `there is no Location ${JSON.stringify(named)}`)
  })
  return { [field]: ids }
}

function readable<T>({ source }: WantedResource, read: () => T): T {
  try {
    return read()
  } catch (error) {
    if (error instanceof ManifestRefusal) throw faultAt(source, `meta.${error.field}`, error.message)
    throw error
  }
}

function made({ one, template, sent }: Judged, workspace: string): Step {
  const { source, key, name, labels } = one
  if (!/^[A-Za-z0-9][A-Za-z0-9._:@-]{0,127}$/.test(key)) {
    throw faultAt(source, 'key', 'it is new, so its key has 1 to 128 ASCII letters, digits and . _ : @ -')
  }
  const body = { template, key, name, meta: sent, labels }
  const path = apiPath`/workspaces/${workspace}/resources`
  return { ...stepOf(one), verb: 'made', what: template, requests: [{ api: 'v3', method: 'POST', path, body }] }
}

function changed(judged: Judged, found: PresentResource, workspace: string): Step {
  const { one, template } = judged
  const path = apiPath`/workspaces/${workspace}/resources/${found.id}`
  const isRebound = found.template !== template
  const meta = isRebound ? {} : metaChange(judged, found.meta)
  const labels = labelChange(one.labels, found.labels)
  const name = one.name === found.name ? {} : { name: one.name }
  const isKept = ({ key, secret }: Judged['fields'][number]) => secret && judged.sent[key] === undefined
  const whole = Object.fromEntries(judged.fields.filter(one => !isKept(one)).map(({ key }) => [key, judged.sent[key] ?? null]))
  if (isRebound && hasHiddenPart(whole)) throw faultAt(one.source, 'meta', needsFullKey)
  const patch = { ...name, ...memberOf('meta', meta), ...memberOf('labels', labels) }
  const requests: StepRequest[] = [
    ...(isRebound ? [{ api: 'v3', method: 'POST', path: `${path}/rebind`, body: { template, meta: whole } } as const] : []),
    ...(Object.keys(patch).length === 0 ? [] : [{ api: 'v3', method: 'PATCH', path, body: patch } as const]),
  ]
  const what = [
    ...(isRebound ? [`from ${found.template} to ${template}`] : []),
    ...Object.keys(name),
    ...Object.keys(meta).map(key => `meta.${key}`),
    ...Object.keys(labels).map(key => `labels.${key}`),
  ]
  if (requests.length === 0) return left(stepOf(one))
  const changes = [
    ...(isRebound ? [{ member: 'template', old: found.template, new: template }] : []),
    ...Object.keys(name).map(member => ({ member, old: found.name, new: one.name })),
    ...Object.keys(meta).map(key => answerChange(judged, found.meta, key)),
    ...Object.keys(labels).map(key => ({
      member: `labels.${key}`,
      old: fileForm(key, found.labels[key]),
      new: fileForm(key, one.labels[key]),
    })),
  ]
  return { ...stepOf(one), verb: 'changed', what: what.join(', '), changes, requests }
}

/** Returns the change of one answer, in the form of a file: without secrets. */
function answerChange({ fields, answers }: Judged, present: Meta, key: string): Change {
  const isHidden = isSecret(fields, key)
  return { member: `meta.${key}`, old: fileForm(key, present[key], isHidden), new: fileForm(key, answers[key], isHidden) }
}

const needsFullKey = 'a rebinding sends every value again, and a scoped key does not read secrets: use a full key'

/** Returns the changed answers. Null restores a field's default. */
function metaChange({ fields, sent, answers }: Judged, present: Meta): Meta {
  const differing = fields.filter(({ key, secret }) => {
    const isKept = secret && (sent[key] ?? null) === null
    return !isKept && !isSameValue(answers[key] ?? null, present[key] ?? null)
  })
  return Object.fromEntries(differing.map(({ key }) => [key, sent[key] ?? null]))
}

/** Returns changed labels. Null removes a label. */
export function labelChange(wanted: Readonly<Record<string, string>>, present: Readonly<Record<string, string>>) {
  const gone = Object.keys(present).filter(key => !Object.hasOwn(wanted, key))
  const differing = Object.entries(wanted).filter(([key, value]) => present[key] !== value)
  return { ...Object.fromEntries(differing), ...Object.fromEntries(gone.map(key => [key, null])) }
}

export const memberOf = (name: string, members: object) => (Object.keys(members).length === 0 ? {} : { [name]: members })

const stepOf = ({ source, key, template }: WantedResource) =>
  ({ phase: 'resources', kind: fileKindOf(template ?? websiteTemplate), name: key, source }) as const
