// Steps of Templates. A published revision never changes. If a file states a published version with another content, the plan throws. If a
// file states no version, the Template is published as the next version, unless its content equals the highest version. Pure.

import { apiPath } from '#shared/api-v3/api-path.ts'
import type { SentTemplate } from '#shared/contracts/resources/sent-template.ts'
import type { Manifest, Template } from '#shared/contracts/resources/template.ts'
import { manifestOf } from '#shared/manifest/manifest-of.ts'
import { isSameValue } from '#shared/text/same-value.ts'
import { templateObject } from '../v3/templates/template-object.ts'
import { faultAt } from './document.ts'
import { type Faults, FileFault } from './file-fault.ts'
import type { KeptValues } from './kept-values.ts'
import type { KnownDestination } from './plan-destinations.ts'
import type { Present } from './present.ts'
import { left, type Step } from './step.ts'
import { readRevision, type WantedTemplate } from './wanted.ts'

/** Every revision that exists after the steps, by `key@version`. */
export type Revisions = ReadonlyMap<string, Template>

interface TemplatePlanContext {
  workspace: string
  known: readonly KnownDestination[]
  kept: KeptValues
  faults: Faults
}

interface Planned {
  steps: Step[]
  revisions: Revisions
}

export function planTemplates(
  wanted: readonly WantedTemplate[],
  { templates, destinations }: Present,
  { workspace, known, kept, faults }: TemplatePlanContext,
): Planned {
  // The contents are compared by the names that destinations have after the steps. Otherwise the plan would take a renamed destination for
  // changed content.
  const names = destinations.map(({ id }) => known.find(one => one.id === id) ?? { id, name: id })
  const contents = new Map(templates.map(template => [idOf(template), manifestOf(template, names)]))
  const steps = faults.each(wanted.toSorted(byVersion), (given): Step => {
    const one = withKeptDefaults(given, templates, kept)
    const { source, key, sent } = one
    const version = one.version ?? versionFor(one, contents, known)
    const template = readRevision(source, { ...sent, version } as Manifest, known)
    const content = manifestOf(templateObject(template, false), known)
    const id = idOf(template)
    const found = contents.get(id)
    if (found !== undefined && !isSameValue(found, content)) {
      const next = (highest(key, contents) ?? 0) + 1
      const advice = `write version ${next}, or leave the version out and get the next one`
      throw faultAt(source, 'version', `${id} is published with another content, which never changes: ${advice}`)
    }
    contents.set(id, content)
    const step = { phase: 'templates', kind: 'Template', name: id, source } as const
    const path = apiPath`/workspaces/${workspace}/templates`
    const post = { api: 'v3', method: 'POST', path, body: { ...sent, version } } as const
    return found === undefined ? { ...step, verb: 'made', what: '', requests: [post] } : left(step)
  })
  faults.settle()
  return { steps, revisions: revisionsOf(contents, known) }
}

/** Returns the Template with the defaults that its file does not show: those of the same revision, or of the highest one. */
function withKeptDefaults(one: WantedTemplate, templates: readonly SentTemplate[], kept: KeptValues): WantedTemplate {
  const { source, key, version, sent } = one
  const ofKey = templates.filter(template => template.key === key).toSorted((a, b) => b.version - a.version)
  const found = ofKey.find(template => template.version === version) ?? ofKey[0]
  const fields = sent.fields?.map((field, i) => {
    const { default: usual } = field
    if (usual === undefined) return field
    const stored = found?.fields.find(other => other.key === field.key)?.default
    const place = { source, path: `fields.${i}.default`, words: `the default of ${field.key} of ${key}` }
    const variable = ['TEMPLATE', key, ...(version === null ? [] : [String(version)]), field.key]
    return { ...field, default: kept.meant(usual, stored, { ...place, variable }) as typeof usual }
  })
  return fields == null ? one : { ...one, sent: { ...sent, fields } }
}

/** Returns the highest version if its content equals the wanted content, else the next version. */
function versionFor(one: WantedTemplate, contents: ReadonlyMap<string, Manifest>, known: TemplatePlanContext['known']): number {
  const version = highest(one.key, contents)
  if (version === null) return 1
  const template = readRevision(one.source, { ...one.sent, version } as Manifest, known)
  const isSame = isSameValue(contents.get(`${one.key}@${version}`), manifestOf(templateObject(template, false), known))
  return isSame ? version : version + 1
}

/** Returns the highest version; null: the key has no revision. */
export function highest(key: string, revisions: ReadonlyMap<string, { key: string; version: number }>): number | null {
  const versions = [...revisions.values()].flatMap(one => (one.key === key ? [one.version] : []))
  return versions.length === 0 ? null : versions.reduce((a, b) => Math.max(a, b))
}

const revisionsOf = (contents: ReadonlyMap<string, Manifest>, known: TemplatePlanContext['known']): Revisions =>
  new Map([...contents].map(([id, manifest]) => [id, publishedRevision(id, manifest, known)]))

/**
 * Returns a published revision. The server checked the revision at publication, so a fault here means that the server is newer than this
 * program.
 */
function publishedRevision(id: string, manifest: Manifest, known: TemplatePlanContext['known']): Template {
  const source = { value: {}, file: `Template ${id} of the workspace`, positionOf: () => ({ line: 0, column: 0 }) }
  try {
    return readRevision(source, manifest, known)
  } catch (error) {
    if (!(error instanceof FileFault)) throw error
    throw new FileFault(source.file, '', `${error.sentence}; the server is newer than this program: update it`)
  }
}

const idOf = ({ key, version }: Pick<SentTemplate, 'key' | 'version'>): string => `${key}@${version}`

/** Sorts by version. A Template without a version is last. */
const byVersion = (one: WantedTemplate, other: WantedTemplate): number =>
  (one.version ?? Number.MAX_SAFE_INTEGER) - (other.version ?? Number.MAX_SAFE_INTEGER)
