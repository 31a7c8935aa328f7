// A workspace as configuration files in one canonical order and form: equal workspaces give equal bytes. Contains no URL of a destination,
// and `[redacted]` in place of secrets. Pure.

import { stringify } from 'yaml'
import { withStepNames } from '#shared/channels/steps.ts'
import { isDelay } from '#shared/checks/watch-fields.ts'
import { isWebsiteTemplate } from '#shared/checks/website/website-template.ts'
import type { SentDestination } from '#shared/contracts/notifications/sent-destination.ts'
import type { FieldType, Template } from '#shared/contracts/resources/template.ts'
import { manifestOf } from '#shared/manifest/manifest-of.ts'
import { findSystemTemplate } from '#shared/manifest/system-templates.ts'
import { fileForm, hasHiddenPart } from '#shared/secrecy/file-form.ts'
import { hidden } from '#shared/secrecy/redacted-value.ts'
import { isSameValue } from '#shared/text/same-value.ts'
import { fileMembers, variableName } from './kept-values.ts'
import { memberOf } from './plan-resources.ts'
import { highest } from './plan-templates.ts'
import type { Present, PresentResource, PresentSubject } from './present.ts'

export interface ExportedFile {
  /** Path, relative to the folder of the export. */
  path: string
  text: string
}

export interface Exported {
  files: ExportedFile[]
  objects: number
  /** Sentences about data of the workspace that the export leaves out. */
  omitted: string[]
}

/** First line of every exported file: `--force` replaces only files that start with this line. */
export const firstLine = '# Written by ./watchkeeper export.'

export function exportFiles(present: Present): Exported {
  const active = present.resources.filter(({ archived_at }) => archived_at === null).toSorted(byKey)
  const groups = [
    { path: 'destinations.yaml', objects: destinationsOf(present.destinations) },
    ...templateGroups(present, active),
    { path: 'monitors.yaml', objects: active.filter(isMonitor).map(one => monitorOf(one, present.locations)) },
    { path: 'subjects.yaml', objects: subjectsOf(present, active) },
    { path: 'delivery-tables.yaml', objects: tablesOf(present) },
  ].filter(({ objects }) => objects.length > 0)
  const files = groups.map(({ path, objects }) => ({ path, text: `${firstLine}\n${objects.map(textOf).join('---\n')}` }))
  return { files, objects: groups.reduce((sum, { objects }) => sum + objects.length, 0), omitted: omittedOf(present, groups) }
}

/** Returns all files joined into one file with the same meaning. */
export const inOneFile = (files: readonly ExportedFile[]): string =>
  `${firstLine}\n${files.map(({ text }) => text.slice(firstLine.length + 1)).join('---\n')}`

const textOf = (object: object): string => stringify(object, { lineWidth: 0, aliasDuplicateObjects: false })

/**
 * Returns the destinations as objects of a file. If no destination is the default, every object states `default: false`. Without this
 * member, an import would make the first new destination the default.
 */
function destinationsOf(destinations: Present['destinations']): object[] {
  const hasDefault = destinations.some(one => one.default)
  return destinations.toSorted(byName).map(({ name, type, channel, enabled, send_on_open, default: isDefault, settings }) => ({
    kind: 'Destination',
    name,
    type,
    ...(channel === '' ? {} : { channel }),
    ...memberOf('settings', withStepNames(shownIn(settings), destinations)),
    ...(enabled ? {} : { enabled }),
    ...(send_on_open ? { send_on_open } : {}),
    ...(isDefault || !hasDefault ? { default: isDefault } : {}),
  }))
}

/** Returns settings without secrets. */
const shownIn = (settings: SentDestination['settings'] = {}) =>
  Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== hidden))

/** Returns a sentence for each secret setting, with the variable from which apply reads it. */
const secretsOf = ({ name, settings = {} }: SentDestination): string[] =>
  Object.entries(settings).flatMap(([key, value]) =>
    value === hidden ? [`The destination ${name} has a ${key}: ${variableName(['DESTINATION', name, key])} gives it.`] : [],
  )

/**
 * Returns one file for the revisions of each Template, then one file for the Resources of each Template. The exported revisions are the
 * highest revision and every revision to which a Resource is bound.
 */
function templateGroups({ templates, destinations, locations }: Present, active: readonly PresentResource[]) {
  const used = new Set(active.map(({ template }) => template))
  const byId = new Map(templates.map(template => [`${template.key}@${template.version}`, template]))
  const keys = [...new Set(templates.map(({ key }) => key))].sort()
  const kept = (key: string) =>
    templates
      .filter(one => one.key === key && (used.has(`${key}@${one.version}`) || one.version === highest(key, byId)))
      .toSorted((one, other) => one.version - other.version)
  const revisions = keys.map(key => ({
    path: `templates/${key}.yaml`,
    objects: kept(key).map(one => ({ kind: 'Template', ...manifestOf(withoutSecretDefaults(one), destinations) })),
  }))
  const bound = active.filter(one => one.template !== null && !isMonitor(one))
  const resourceKeys = [...new Set(bound.map(({ template }) => keyOf(template)))].sort()
  const resources = resourceKeys.map(key => ({
    path: `resources/${key}.yaml`,
    objects: bound
      .filter(({ template }) => keyOf(template) === key)
      .map(one => resourceOf(one, byId.get(one.template ?? '') ?? findSystemTemplate(one.template ?? ''), locations)),
  }))
  return [...revisions, ...resources]
}

/** Returns the revision with its defaults in the form of a file. */
const withoutSecretDefaults = (template: Present['templates'][number]): Present['templates'][number] => ({
  ...template,
  fields: template.fields.map(field => ({ ...field, default: fileForm(field.key, field.default) })),
})

const keyOf = (template: string | null): string => (template ?? '').split('@', 1)[0] as string

function resourceOf(
  { key, name, template, meta, labels }: PresentResource,
  revision: { fields: readonly (Usual & { type: FieldType })[] } | null,
  locations: Present['locations'],
) {
  const answered = revision === null ? meta : changedAnswers(revision.fields, meta)
  const inFile = withNames(revision?.fields ?? [], fileMembers(answered), locations)
  return { kind: 'Resource', key, name, template, ...memberOf('meta', inFile), ...labelsOf(labels) }
}

/** Returns the answers with the names of Locations. */
function withNames(
  fields: readonly { key: string; type: FieldType }[],
  answers: Readonly<Record<string, unknown>>,
  locations: Present['locations'],
): Record<string, unknown> {
  const lists = new Set(fields.filter(({ type }) => type === 'location_list').map(({ key }) => key))
  const named = Object.entries(answers).map(([key, value]) => [
    key,
    lists.has(key) && Array.isArray(value) ? value.map(id => nameOf(id, locations)) : value,
  ])
  return Object.fromEntries(named)
}

interface Usual {
  key: string
  default: Template['fields'][number]['default'] | unknown
}

/**
 * Returns the answers (a Resource's values of its Template's fields) in the order of the fields. An answer equal to its field's default is
 * omitted.
 */
function changedAnswers(fields: readonly Usual[], meta: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const answered = fields.filter(one => Object.hasOwn(meta, one.key) && !isSameValue(meta[one.key], one.default))
  return Object.fromEntries(answered.map(({ key }) => [key, meta[key]]))
}

function monitorOf({ key, name, template, meta, labels }: PresentResource, locations: Present['locations']) {
  return { kind: 'Monitor', key, name, meta: checkedMembers(template, meta, locations), ...labelsOf(labels) }
}

/** Returns the answers of a website monitor, with the names of Locations. */
function checkedMembers(template: string | null, meta: PresentResource['meta'], locations: Present['locations']) {
  const fields = findSystemTemplate(template ?? '')?.fields ?? []
  const secrets = new Set(fields.filter(({ secret }) => secret).map(field => field.key))
  // A delay that was named is exported even if it equals the default, because the installation's setting may be another.
  const changed = changedAnswers(
    fields.map(one => (isDelay(one.key) ? { key: one.key, default: null } : one)),
    meta,
  )
  const inFile = Object.entries(changed).map(([field, value]) => [field, fileForm(field, value, secrets.has(field))])
  const answered: Record<string, unknown> = Object.fromEntries(inFile)
  const named = Array.isArray(answered['locations']) ? answered['locations'].map(id => nameOf(id, locations)) : []
  return { ...answered, locations: named }
}

/** Returns the name of a Location. If the name is also the name or the id of another Location, returns the id of the Location instead. */
function nameOf(id: unknown, locations: Present['locations']): unknown {
  const name = locations.find(one => one.id === id)?.name
  const isClear = locations.filter(one => one.name === name || one.id === name).length === 1
  return isClear ? name : id
}

function subjectsOf({ classic }: Present, active: readonly PresentResource[]): object[] {
  return active.flatMap(({ key, name, labels }) => {
    const found = classic?.subjects.find(one => one.key === key)
    return found === undefined ? [] : [{ kind: 'Subject', key, name, ...labelsOf(labels), ...partsOf(found) }]
  })
}

const partsOf = ({ signals, rules }: PresentSubject) => ({
  ...(signals.length === 0
    ? {}
    : {
        signals: signals
          .toSorted(byKey)
          .map(({ key, name, kind, meta }) => ({ key, name, kind, ...memberOf('meta', fileMembers(meta)) })),
      }),
  ...(rules.length === 0 ? {} : { rules: rules.toSorted(byKey) }),
})

function tablesOf({ classic }: Present): object[] {
  const tables = [...(classic?.tables ?? [])].filter(([, rows]) => rows.length > 0)
  return tables
    .toSorted(([one], [other]) => compare(one, other))
    .map(([subject, rows]) => ({ kind: 'DeliveryTable', subject, rows }))
}

/** Returns what the files lack, as sentences. `groups`: the objects of the files. */
function omittedOf(present: Present, groups: readonly { objects: readonly object[] }[]): string[] {
  const redacted = groups.flatMap(({ objects }) => objects.filter(hasHiddenPart)) as { kind: string; key: string }[]
  const archived = present.resources.filter(one => one.archived_at !== null).length
  const revisions = groups.flatMap(({ objects }) => objects.filter(one => 'kind' in one && one.kind === 'Template')).length
  const older = present.templates.length - revisions
  return [
    'Members, keys, Observation addresses, payload templates, maintenance windows, Incidents and Observations are in no file.',
    ...(present.destinations.length === 0
      ? []
      : ['The URLs and secrets of destinations are left out: apply asks for those of new ones.']),
    ...present.destinations.flatMap(secretsOf),
    ...(archived === 0 ? [] : [`Archived Resources are left out: ${archived}.`]),
    ...(older <= 0 ? [] : [`Revisions of Templates that no Resource uses are left out: ${older}.`]),
    ...(present.classic === null
      ? ['Custom subjects and delivery tables are left out: API_LEGACY=gone switches their API off.']
      : []),
    ...(present.classic?.customMonitors ?? []).map(
      key =>
        `The monitor ${key} has signals and rules of its own beside its check, which no file holds: apply leaves them as they are.`,
    ),
    ...redacted.map(
      ({ kind, key }) =>
        `The ${kind} ${key} has secrets, which the file shows as [redacted]: apply keeps the stored values, and asks for those of a new one.`,
    ),
  ]
}

const labelsOf = (labels: Readonly<Record<string, string>>) => memberOf('labels', fileMembers(sorted(labels)))

const isMonitor = ({ template }: PresentResource): boolean => isWebsiteTemplate(template)

const sorted = <T>(members: Readonly<Record<string, T>>): Record<string, T> =>
  Object.fromEntries(Object.entries(members).toSorted(([one], [other]) => compare(one, other)))

const compare = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0)
const byKey = (one: { key: string }, other: { key: string }): number => compare(one.key, other.key)
const byName = (one: { name: string }, other: { name: string }): number => compare(one.name, other.name)
