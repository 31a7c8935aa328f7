// World with a published Template. Tests create Resources of the Template and report on these Resources.
import type { Reply } from '#shared/contracts/ask/reply.ts'
import type { ObservedResult, ResourceView } from '#shared/contracts/resources/resource-views.ts'
import type { Template, TemplateDocument } from '#shared/contracts/resources/template.ts'
import { readManifest } from '#shared/manifest/read-manifest.ts'
import { type Put, type Store, StoreError } from '#shared/store/port.ts'
import { randomId } from '#shared/text/ids.ts'
import { createWorld } from '../world.ts'

export const second = 1_000

/**
 * Template whose rule is a problem if the probe reports a problem and the last readings of the load are too high, and unknown if either is
 * missing.
 */
export const host = {
  key: 'host',
  version: 1,
  name: 'Host',
  fields: [{ key: 'load_max', type: 'number', default: 4 }],
  signals: [
    { key: 'probe', kind: 'heartbeat', every_seconds: 60 },
    { key: 'load', kind: 'event' },
  ],
  rules: [
    {
      key: 'down',
      action: 'Restart the host.',
      wait: { confirm_after: 300, recover_after: 120 },
      decision: { signal: 'probe', field: 'status', operator: 'eq', operand: 'problem' },
    },
    {
      key: 'busy',
      action: 'Look for the process.',
      wait: { confirm_after: 0, recover_after: 0 },
      decision: {
        signal: 'load',
        field: 'value',
        operator: 'gt',
        operand: { meta: 'load_max' },
        min_count: 2,
        within_seconds: 600,
      },
    },
  ],
}

export async function setStage(document: object = host, wrapStore?: (store: Store) => Store) {
  const world = createWorld(wrapStore)
  const template = readManifest(document, { systemKeys: new Set(), destinations: [] })
  await publish(world, template)
  await world.startOne({ exclusive: true })
  return world
}
export type World = Awaited<ReturnType<typeof setStage>>

export async function publish({ store }: { store: Store }, template: Template, workspaceId = 'w') {
  const { key, version } = template
  const document: TemplateDocument = {
    id: `${workspaceId}/${key}@${version}`,
    rev: 1,
    workspaceId,
    key,
    version,
    publishedAt: 0,
    bytes: 1,
    template,
  }
  await store.insert('templates', [document])
}

export async function create(world: World, more: object = {}, id = randomId(10)) {
  const body = {
    kind: 'create-resource',
    workspaceId: 'w',
    slug: `key-${id}`,
    name: 'Host 1',
    template: 'host@1',
    answers: {},
    labels: {},
  }
  const reply = await world.command(id, { ...body, ...more } as never)
  return { id, reply }
}

const nothingSent = { state: 'ok', signalKind: null, sentId: null, atUs: null, value: null, reason: '', labels: {}, body: null }

export async function observe(world: World, id: string, ...observations: object[]): Promise<ObservedResult[]> {
  const sent = observations.map(one => ({ ...nothingSent, ...one }))
  const reply: Reply = await world.command(id, { kind: 'observe', observations: sent } as never)
  if (!reply.ok) throw new Error(reply.error.message)
  return (reply.result as { results: ObservedResult[] }).results
}

export async function read(world: World, id: string): Promise<ResourceView> {
  const reply = await world.command(id, { kind: 'read-resource' } as never)
  if (!reply.ok) throw new Error(reply.error.message)
  return reply.result as ResourceView
}

export async function ruleOf(world: World, id: string, key: string) {
  return (await read(world, id)).rules.find(rule => rule.key === key)
}

/** Returns the kinds of the history records of a subject's incidents, in the order of the transitions. */
export async function kindsOf(world: World, id: string): Promise<string[]> {
  const found = await world.history(id)
  return found.sort((one, other) => one.id.localeCompare(other.id, 'en', { numeric: true })).map(({ kind }) => kind)
}

/** Store that carries out the first `cut.after` non-empty writes of a report, and no later write. */
export function cutting(store: Store, cut: { after: number | null }): Store {
  return new Proxy(store, {
    get: (all, name) => {
      if (name !== 'putInOrder') return all[name as keyof Store]
      return async (puts: readonly Put[]) => {
        const isReport = puts.some(({ collection, documents }) => collection === 'pushedObservations' && documents.length > 0)
        if (cut.after === null || (cut.after >= 0 && !isReport)) return await all.putInOrder(puts)
        if (cut.after > 0) await all.putInOrder(puts.filter(({ documents }) => documents.length > 0).slice(0, cut.after))
        cut.after = -1
        throw new StoreError('unavailable', 'cut')
      }
    },
  })
}
