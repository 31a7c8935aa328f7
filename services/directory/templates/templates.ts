// Template revisions of a workspace: published once, never changed. Reference: docs/reference/v3.md, section 3.
import { subjects } from '#shared/bus/subjects.ts'
import type { News } from '#shared/contracts/news.ts'
import type { Template, TemplateDocument } from '#shared/contracts/resources/template.ts'
import { AppError, refusal } from '#shared/errors.ts'
import { limits } from '#shared/limits/limits.ts'
import { ManifestRefusal } from '#shared/manifest/manifest-refusal.ts'
import { readManifest } from '#shared/manifest/read-manifest.ts'
import { findSystemTemplate, isBuiltIn, systemKeys } from '#shared/manifest/system-templates.ts'
import { pagesOf } from '#shared/store/pages.ts'
import type { Query, Store } from '#shared/store/port.ts'
import { findRevisions, isFault, readRevisions } from '#shared/subjects/stored-revisions.ts'
import type { AskAnswerer } from '../context.ts'
import { destinationsOf } from '../notifications/destination-default.ts'

const bounds = limits.templateRevision

export const publishTemplate: AskAnswerer<'publish-template'> = async ({ store, bus, clock }, { workspaceId, manifest }) => {
  const template = await read(store, workspaceId, manifest)
  const { key, version } = template
  const bytes = Buffer.byteLength(JSON.stringify(template))
  await requireRoom(store, workspaceId, bytes)
  const id = revisionId(workspaceId, key, version)
  const document: TemplateDocument = { id, rev: 1, workspaceId, key, version, publishedAt: clock.now(), bytes, template }
  const [result] = await store.insert('templates', [document])
  if (result === 'written') {
    const news: News = { kind: 'template', template: `${key}@${version}` }
    bus.publish(subjects.stateOfTemplates(workspaceId), news)
    return template
  }
  throw refusal('invalid_state', 'Template revision exists', `${key}@${version} is published already: publish the next version`)
}

export const readTemplateManifest: AskAnswerer<'read-manifest'> = async ({ store }, { workspaceId, manifest }) => {
  const template = await read(store, workspaceId, manifest)
  await requireRoom(store, workspaceId, Buffer.byteLength(JSON.stringify(template)))
  return template
}

/** Returns a page of the revisions, in the order of key and version, bounded in bytes. Damaged revisions are omitted and logged. */
export const listTemplates: AskAnswerer<'list-templates'> = async ({ store, logger }, { workspaceId, after }) => {
  const items: Template[] = []
  let bytes = 0
  let last = parseCursor(after)
  for (;;) {
    const found = await findRevisions(store, { ...ofWorkspace(workspaceId), ...(last === null ? {} : { after: last }) })
    for (const { id, key, version, bytes: size, template } of found) {
      if (items.length > 0 && bytes + size > limits.request.pageBytes) return { items, next: formatCursor(last) }
      if (isFault(template)) logger.error({ workspaceId, template: `${key}@${version}` }, 'template revision is damaged')
      else {
        items.push(template)
        bytes += size
      }
      last = { values: [key, version], id }
    }
    if (found.length < bounds.perRead) return { items, next: null }
  }
}

/**
 * Returns the revision `key@version`, or the highest version of a key, also of system Templates whose key the workspace has not published
 * (v3 3.23). A damaged revision is returned as `damaged`.
 */
export const getTemplate: AskAnswerer<'get-template'> = async ({ store }, { workspaceId, reference }) => {
  const [key = '', version = null] = reference.split('@')
  const system = findSystemTemplate(reference)
  if (system !== null && isBuiltIn(system)) return system
  if (version !== null) {
    const id = `${workspaceId}/${reference}`
    const found = (await readRevisions(store, [id])).get(id) ?? 'missing'
    if (found === 'missing') return null
    if (found === 'damaged' || !found.isSystem) return found
  }
  const query: Query = { where: { workspaceId, key }, sort: [['version', 'desc']], limit: 1 }
  const [own] = await findRevisions(store, query)
  // A key that the workspace published before it became one of the system means its own.
  if (own !== undefined) return version === null ? own.template : null
  return system
}

/**
 * Returns the number of unarchived Resources that are bound to each revision. Reads only columns, which is cheaper than whole documents.
 */
export const countTemplateUses: AskAnswerer<'count-template-uses'> = async ({ store }, { workspaceId }) => {
  const uses = new Map<string, number>()
  const where = { workspaceId, archivedAt: null, deletedAt: null }
  const query = { where, limit: limits.roster.revsPerRead, select: ['template'] as const }
  for await (const found of pagesOf(query, next => store.find('subjects', next)))
    for (const { template } of found) if (template !== null) uses.set(template, (uses.get(template) ?? 0) + 1)
  return Object.fromEntries(uses)
}

/** Reads a manifest. Throws `malformed` or `validation` with the path of the first fault, such as `a.b.c`. */
async function read(store: Store, workspaceId: string, manifest: unknown): Promise<Template> {
  const destinations = await destinationsOf(store, workspaceId)
  try {
    return readManifest(manifest, { systemKeys: systemKeys(), destinations })
  } catch (error) {
    if (!(error instanceof ManifestRefusal)) throw error
    const code = error.kind === 'unreadable' ? 'malformed' : 'validation'
    throw new AppError(code, error.message, { facts: { field: error.field } })
  }
}

/**
 * Throws `validation` if the workspace is full. Simultaneous publications may exceed the bound by one, which is harmless: the bound only
 * protects the store.
 */
async function requireRoom(store: Store, workspaceId: string, bytes: number): Promise<void> {
  const sizes = await store.find('templates', { where: { workspaceId }, limit: bounds.perWorkspace, select: ['bytes'] })
  const total = sizes.reduce((sum, { bytes: size }) => sum + size, bytes)
  if (sizes.length < bounds.perWorkspace && total <= bounds.bytesPerWorkspace) return
  const fault = `A workspace has at most ${bounds.perWorkspace} Template revisions and ${bounds.bytesPerWorkspace} bytes of them`
  throw new AppError('validation', fault, { facts: { field: 'key' } })
}

const revisionId = (workspaceId: string, key: string, version: number) => `${workspaceId}/${key}@${version}`

const ofWorkspace = (workspaceId: string): Query => ({
  where: { workspaceId },
  sort: [
    ['key', 'asc'],
    ['version', 'asc'],
  ],
  limit: bounds.perRead,
})

type Cursor = NonNullable<Query['after']>

const formatCursor = (cursor: Cursor | null): string | null => cursor?.id ?? null

/** Parses a cursor. A cursor is the id of the last revision of a page; the id contains the key and the version. */
function parseCursor(text: string | null | undefined): Cursor | null {
  if (text === null || text === undefined) return null
  const [, key, version] = /^[^/]+\/([^@]+)@(\d+)$/.exec(text) ?? []
  if (key !== undefined && version !== undefined) return { values: [key, Number(version)], id: text }
  throw refusal('validation', 'Invalid cursor', 'after is not the next of a page')
}
