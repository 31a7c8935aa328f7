// Wanted state of a workspace from configuration files. Shapes, duplicate names and all faults within the files are checked here. The plan
// checks everything that depends on the workspace: destinations, Locations, revisions and answers. Pure.
import { faultOfSetting, trimmedSetting } from '#shared/channels/fields.ts'
import { asksForOpenings, channelOf, hasTopField } from '#shared/channels/registry.ts'
import { ownFields } from '#shared/channels/settings.ts'
import { websiteTemplate } from '#shared/checks/website/website-template.ts'
import type { SettingValue } from '#shared/contracts/notifications/destination.ts'
import type { Manifest, Template } from '#shared/contracts/resources/template.ts'
import { firstRefusal } from '#shared/json-shape/first-refusal.ts'
import { ManifestRefusal } from '#shared/manifest/manifest-refusal.ts'
import { readManifest } from '#shared/manifest/read-manifest.ts'
import { systemKeys } from '#shared/manifest/system-templates.ts'
import { isLabelKey, isLabelValue } from '../v3/resources/labels.ts'
import { faultAt, type PlacedObject } from './document.ts'
import { createFaults } from './file-fault.ts'
import { type DeliveryTableFile, type DestinationFile, kinds, type SubjectFile } from './kinds.ts'
import { readRules, type SubjectRule } from './subject-rules.ts'

export interface WantedDestination {
  source: PlacedObject
  name: string
  type: string
  channel: string
  /** Settings that the type has besides the members of the destination, without secrets. */
  settings: Readonly<Record<string, unknown>>
  enabled: boolean
  sendOnOpen: boolean
  /**
   * Whether the destination is the default. False: the import removes the default mark. Null: the file does not say whether the destination
   * is the default.
   */
  isDefault: boolean | null
}

/** A Template in a file. `sent`: the Template as the file states it. `version` null: the file states no version. */
export interface WantedTemplate {
  source: PlacedObject
  key: string
  version: number | null
  sent: Omit<Manifest, 'version'>
}

export interface WantedResource {
  source: PlacedObject
  key: string
  name: string
  /** Template of the Resource: key@version, or a key, which means the highest version. Null: the Resource is a website monitor. */
  template: string | null
  meta: Readonly<Record<string, unknown>>
  labels: Readonly<Record<string, string>>
}

export interface WantedSubject {
  source: PlacedObject
  key: string
  name: string
  labels: Readonly<Record<string, string>>
  signals: SubjectSignal[]
  /** Rules in reading order: a rule follows the rules that it reads. */
  rules: SubjectRule[]
}

export interface SubjectSignal {
  key: string
  name: string
  kind: 'heartbeat' | 'event'
  meta: Readonly<Record<string, unknown>>
}

export interface TableRow {
  destination: string
  on: string[]
}

export interface WantedTable {
  source: PlacedObject
  subject: string
  rows: TableRow[]
}

export interface WantedConfiguration {
  destinations: WantedDestination[]
  templates: WantedTemplate[]
  resources: WantedResource[]
  subjects: WantedSubject[]
  tables: WantedTable[]
}

/** Returns the wanted state. Throws FileFault for the first faulty object, in the order of the files, with all others. */
export function readWanted(objects: readonly PlacedObject[]): WantedConfiguration {
  const wanted: WantedConfiguration = { destinations: [], templates: [], resources: [], subjects: [], tables: [] }
  const named = new Map<string, PlacedObject>()
  const faults = createFaults()
  faults.each(objects, source => {
    requireShape(source)
    requireOnce(source, named)
    addTo(wanted, source)
  })
  faults.settle()
  const [, second] = wanted.destinations.filter(({ isDefault }) => isDefault)
  if (second !== undefined) throw faultAt(second.source, 'default', 'another destination is the default already')
  return wanted
}

function requireShape(source: PlacedObject): void {
  const { kind } = source.value
  const words = Object.keys(kinds)
  if (typeof kind !== 'string') throw faultAt(source, '', `it needs a kind: one of ${words.join(', ')}`)
  const schema = Object.hasOwn(kinds, kind) ? kinds[kind] : undefined
  if (schema === undefined) throw faultAt(source, 'kind', `it must be one of ${words.join(', ')}`)
  const refusal = firstRefusal(schema, source.value)
  if (refusal !== null) throw faultAt(source, refusal.field, refusal.message)
}

/**
 * Throws for a duplicate. A Resource, a monitor and a subject must not have the same key. Names of destinations are compared without case.
 */
function requireOnce(source: PlacedObject, named: Map<string, PlacedObject>): void {
  const { kind, key, name, version, subject } = source.value
  const id =
    kind === 'Destination'
      ? `destination ${String(name).trim().toLowerCase()}`
      : kind === 'DeliveryTable'
        ? `table ${subject}`
        : kind === 'Template'
          ? `template ${key}@${version ?? 'next'}`
          : `resource ${key}`
  const first = named.get(id)
  const place = kind === 'Destination' ? 'name' : kind === 'DeliveryTable' ? 'subject' : 'key'
  if (first !== undefined) throw faultAt(source, place, `it stands in ${first.file}:${first.positionOf('').line} too`)
  named.set(id, source)
}

function addTo(wanted: WantedConfiguration, source: PlacedObject): void {
  const value = withoutNulls(source.value)
  switch (value['kind']) {
    case 'Destination':
      return void wanted.destinations.push(destinationOf(source, value as DestinationFile))
    case 'Template':
      return void wanted.templates.push(templateOf(source, value))
    case 'Subject':
      return void wanted.subjects.push(subjectOf(source, value as SubjectFile))
    case 'DeliveryTable':
      return void wanted.tables.push(tableOf(source, value as DeliveryTableFile))
    default:
      wanted.resources.push(resourceOf(source, value))
  }
}

function destinationOf(source: PlacedObject, sent: DestinationFile): WantedDestination {
  const { name, type, channel = '', enabled = true, send_on_open: sendOnOpen = false, default: isDefault = null } = sent
  if (channel !== '' && !hasTopField(type, 'channel')) throw faultAt(source, 'channel', `a ${type} has no channel`)
  if (sendOnOpen && !asksForOpenings(type)) throw faultAt(source, 'send_on_open', `a ${type} has no such setting`)
  const settings = settingsOf(source, type, (sent.settings ?? {}) as Record<string, unknown>)
  const place = { channel: channel.replace(/^[#\s]+/, '').trimEnd(), settings }
  return { source, name: name.trim(), type, ...place, enabled, sendOnOpen, isDefault }
}

/** Throws for a setting that the type does not have, and for a secret, which no file may show. */
function settingsOf(source: PlacedObject, type: string, sent: Record<string, unknown>): Record<string, unknown> {
  const fields = ownFields(channelOf(type))
  for (const [key, value] of Object.entries(sent)) {
    const field = fields.find(one => one.key === key)
    if (field === undefined) throw faultAt(source, `settings.${key}`, `a ${type} has no such setting`)
    if (field.mark === 'secret') throw faultAt(source, `settings.${key}`, 'it is a secret: it comes from the environment')
    const fault = value === null ? null : faultOfSetting(field, value)
    if (fault !== null) throw faultAt(source, `settings.${key}`, fault)
  }
  const stored = Object.entries(withoutNulls(sent)).map(([key, value]) => [key, trimmedSetting(value as SettingValue)])
  return Object.fromEntries(stored.filter(([, value]) => value !== ''))
}

function templateOf(source: PlacedObject, { kind: _, version = null, ...sent }: Record<string, unknown>): WantedTemplate {
  readRevision(source, { ...sent, version: version ?? 1 } as Manifest, null)
  return { source, key: String(sent['key']), version: version as number | null, sent: sent as Omit<Manifest, 'version'> }
}

/**
 * Reads a revision, with the same checks that the API runs at a publication. `destinations`: destinations of the workspace; null:
 * references to destinations are not resolved.
 */
export function readRevision(
  source: PlacedObject,
  manifest: Manifest,
  destinations: readonly { id: string; name: string }[] | null,
): Template {
  try {
    return readManifest(manifest, { systemKeys: systemKeys(), destinations })
  } catch (error) {
    if (error instanceof ManifestRefusal) throw faultAt(source, error.field, error.message)
    throw error
  }
}

/** References of the Template of website monitors, with its version and without. */
const websiteReferences: readonly unknown[] = [websiteTemplate, ...websiteTemplate.split('@', 1)]
const isWebsite = (template: unknown): boolean => websiteReferences.includes(template)

function resourceOf(source: PlacedObject, value: Record<string, unknown>): WantedResource {
  const { key, name, template = null, meta = {} } = value
  return {
    source,
    key: String(key),
    name: String(name).trim(),
    template: isWebsite(template) ? null : (template as string | null),
    meta: meta as Record<string, unknown>,
    labels: labelsOf(source, value),
  }
}

function subjectOf(source: PlacedObject, sent: SubjectFile): WantedSubject {
  const signals = (sent.signals ?? []).map(({ key, name, kind, meta = {} }) => {
    return { key, name: name.trim(), kind, meta: { ...meta } }
  })
  requireUnique(source, 'signals', signals)
  requireUnique(source, 'rules', sent.rules ?? [])
  const rules = readRules(source, sent.rules ?? [], signals)
  return { source, key: sent.key, name: sent.name.trim(), labels: labelsOf(source, sent), signals, rules }
}

function requireUnique(source: PlacedObject, part: string, items: readonly { key: string }[]): void {
  const seen = new Set<string>()
  for (const [i, { key }] of items.entries()) {
    if (seen.has(key)) throw faultAt(source, `${part}.${i}.key`, `the key ${key} stands twice`)
    seen.add(key)
  }
}

function tableOf(source: PlacedObject, { subject, rows }: DeliveryTableFile): WantedTable {
  const seen = new Set<string>()
  for (const [i, { destination }] of rows.entries()) {
    const name = destination.trim().toLowerCase()
    if (seen.has(name)) throw faultAt(source, `rows.${i}.destination`, 'a destination has one row only')
    seen.add(name)
  }
  return { source, subject, rows: rows.map(({ destination, on }) => ({ destination: destination.trim(), on: [...new Set(on)] })) }
}

function labelsOf(source: PlacedObject, { labels = {} }: { labels?: unknown }): Record<string, string> {
  const entries = Object.entries(labels as object)
  const wrong = entries.find(([key, value]) => !isLabelKey(key) || !isLabelValue(value))
  if (wrong !== undefined) {
    throw faultAt(source, `labels.${wrong[0]}`, 'a label is a text of 1 to 128 characters under a key of a-z, 0-9, ., _ and -')
  }
  if (entries.length > 16) throw faultAt(source, 'labels', 'a Resource has at most 16 labels')
  return Object.fromEntries(entries)
}

const withoutNulls = (value: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(value).filter(([, member]) => member !== null))
