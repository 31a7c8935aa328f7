// Steps of Templates. A revision never changes: another content is another version. A file without a version takes the next one, and none if its content
// is that of the highest. Pure.
import { isDeepStrictEqual } from 'node:util'
import { apiPath } from '#shared/api-v3/client.ts'
import type { Manifest, Template } from '#shared/contracts/template.ts'
import { templateObject } from '../../services/gateway/v3/template-object.ts'
import { faultAt } from './document.ts'
import type { KnownDestination } from './plan-destinations.ts'
import type { Present } from './present.ts'
import { left, type Step } from './step.ts'
import { manifestOf, type SentTemplate } from './template-manifest.ts'
import { readRevision, type WantedTemplate } from './wanted.ts'

/** Every revision that there is once the steps are done, by `key@version`. */
export type Revisions = ReadonlyMap<string, Template>

interface Surroundings {
  workspace: string
  known: readonly KnownDestination[]
}

interface Planned {
  steps: Step[]
  revisions: Revisions
}

export function planTemplates(
  wanted: readonly WantedTemplate[],
  { templates, destinations }: Present,
  { workspace, known }: Surroundings,
): Planned {
  // As they are called after the steps, so that a new name of a destination is no new content.
  const names = destinations.map(({ id }) => known.find(one => one.id === id) ?? { id, name: id })
  const contents = new Map(templates.map(template => [idOf(template), manifestOf(template, names)]))
  const planned: Planned = { steps: [], revisions: new Map() }
  for (const one of wanted.toSorted(byVersion)) {
    const { source, key, sent } = one
    const version = one.version ?? versionFor(one, contents, known)
    const template = readRevision(source, { ...sent, version } as Manifest, known)
    const content = manifestOf(templateObject(template, false), known)
    const id = idOf(template)
    const found = contents.get(id)
    if (found !== undefined && !isDeepStrictEqual(found, content)) {
      const next = (highest(key, contents) ?? 0) + 1
      const advice = `write version ${next}, or leave the version out and get the next one`
      throw faultAt(source, 'version', `${id} is published with another content, which never changes: ${advice}`)
    }
    contents.set(id, content)
    const step = { phase: 'templates', kind: 'Template', name: id, source } as const
    const path = apiPath`/workspaces/${workspace}/templates`
    const post = { api: 'v3', method: 'POST', path, body: { ...sent, version } } as const
    planned.steps.push(found === undefined ? { ...step, verb: 'made', what: '', requests: [post] } : left(step))
  }
  return { ...planned, revisions: revisionsOf(contents, known) }
}

/** The highest version if its content is the wanted one, else the next. */
function versionFor(one: WantedTemplate, contents: ReadonlyMap<string, Manifest>, known: Surroundings['known']): number {
  const version = highest(one.key, contents)
  if (version === null) return 1
  const template = readRevision(one.source, { ...one.sent, version } as Manifest, known)
  const isSame = isDeepStrictEqual(contents.get(`${one.key}@${version}`), manifestOf(templateObject(template, false), known))
  return isSame ? version : version + 1
}

/** Null: there is no revision of the key. */
export function highest(key: string, revisions: ReadonlyMap<string, { key: string; version: number }>): number | null {
  const versions = [...revisions.values()].flatMap(one => (one.key === key ? [one.version] : []))
  return versions.length === 0 ? null : versions.reduce((a, b) => Math.max(a, b))
}

function revisionsOf(contents: ReadonlyMap<string, Manifest>, known: Surroundings['known']): Revisions {
  // A published revision was read at its publication: it has no fault.
  const nowhere = { value: {}, file: '', lineOf: () => 0 }
  return new Map([...contents].map(([id, manifest]) => [id, readRevision(nowhere, manifest, known)]))
}

const idOf = ({ key, version }: Pick<SentTemplate, 'key' | 'version'>): string => `${key}@${version}`

/** One without a version comes last. */
const byVersion = (one: WantedTemplate, other: WantedTemplate): number =>
  (one.version ?? Number.MAX_SAFE_INTEGER) - (other.version ?? Number.MAX_SAFE_INTEGER)
