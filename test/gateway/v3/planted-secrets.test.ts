// A marker is planted in every text that people and senders can write. Nobody with few rights reads it again: neither by a route of
// generation 3 nor by a tool for agents. Reference: docs/reference/v3.md, 11.2.
import t from 'tap'
import type { ApiRequest } from '#shared/api-v3/exchange.ts'
import { createDirectoryClient } from '#shared/bus/clients/clients.ts'
import { hashToken, makeToken } from '#shared/tokens/api-token.ts'
import { v3Routes } from '../../../services/gateway/v3/routes.ts'
import { tools } from '../../../services/mcp/tools.ts'
import { history, incident } from '../../store/documents.ts'
import { type ApiWorld, startApiWorld } from '../../support/worlds/api-world.ts'

const mark = 'PLANTED'
/** A URL with a credential in each place where a URL can have one, and one without a scheme. */
const address = `https://me:${mark}@a.example/b;key=${mark}/c?n=1&token=${mark};d#auth=${mark}`
const words = `see ${address} and //me:${mark}@b.example/?sig=${mark}`

let world: ApiWorld
let owner: string
const readers: Record<string, string> = {}
const w1 = '/workspaces/w1'
const call = (method: string, path: string, token = owner, body?: unknown) =>
  world.call(method, `/api/v3${path}`, { token, ...(body === undefined ? {} : { body }) })

t.before(async () => {
  world = await startApiWorld()
  owner = (await world.addPerson('olga', { w1: 'owner' })).token
  const { ask } = createDirectoryClient(world.hub.connect(), world.clock)
  await ask('update-user', { userId: 'user-olga', admin: true })
  const scoped = makeToken()
  const key = { id: 'scoped', description: words, tokenHash: hashToken(scoped), prefix: 'wk_', userId: 'user-olga' }
  await ask('create-key', { ...key, scope: { workspaceId: 'w1', actions: ['resources', 'templates', 'observe'] } })
  readers['scoped key of an owner'] = scoped
  readers['viewer'] = (await world.addPerson('vera', { w1: 'viewer' })).token
})
t.teardown(() => world.stop())

/** Writes the marker everywhere. Returns the ids of the written objects by the parameters of paths. */
async function plant(): Promise<Record<string, string>> {
  const { ask } = createDirectoryClient(world.hub.connect(), world.clock)
  const berlin = (await ask('ensure-location', { name: 'berlin' })).id
  const made = async (path: string, body: object): Promise<Record<string, string>> => {
    const { status, json, text } = await call('POST', w1 + path, owner, body)
    if (status >= 300) throw new Error(`${path}: ${text}`)
    return json.result
  }
  const fields = [
    { key: 'api_token', type: 'string', default: mark, help: words },
    { key: 'link', type: 'string', default: address },
    { key: 'secrets', type: 'string_list', default: [mark] },
  ]
  const wait = { confirm_after: 0, recover_after: 0 }
  const decision = { signal: 'probe', field: 'status', operator: 'eq', operand: 'problem' }
  const template = { key: 'host', version: 1, name: 'Host', summary: words, fields }
  const signals = [{ key: 'probe', kind: 'heartbeat', every_seconds: 60, help: words }]
  await made('/templates', { ...template, signals, rules: [{ key: 'down', help: words, action: words, wait, decision }] })
  const labels = { 'api.key': mark, see: address }
  const meta = { api_token: mark, link: words, secrets: [mark] }
  const host = await made('/resources', { template: 'host', key: 'host', name: 'Host', meta, labels })
  const website = { url: address, data: mark, locations: [berlin], interval_value: 5 }
  await made('/resources', { template: 'website-check', key: 'shop', name: 'Shop', meta: website, labels })
  const seen = { signal: 'probe', state: 'problem', reason: words, body: { note: mark }, labels: { api_token: mark, see: words } }
  await made('/resources/host/observations', seen)
  const ops = await made('/destinations', { name: 'Ops', type: 'webhook', url: `https://a.example/${mark}` })
  const subjectId = host['id'] as string
  const told = { workspaceId: 'w1', subjectId, ruleKey: 'down', action: words, explanation: words }
  const reading = { signal: 'probe', status: 'problem' as const, reason: words }
  const input = { input: 'probe', value: 'problem' as const, at: 1, reason: words, reading }
  const evidence = { inputs: [input], omitted: 0, truncated: false }
  const id = `${subjectId}.1`
  await world.store.insert('incidents', [
    incident(id, { ...told, evidence, cause: { input: 'probe', isLocation: false, reason: words, at: 1, isSilence: false } }),
  ])
  await world.store.insert('history', [history(`${id}.1`, { incidentId: id, explanation: words, evidence })])
  const [listed] = (await call('GET', `${w1}/incidents`)).json.result
  return {
    workspace: 'w1',
    resource: 'host',
    template: 'host@1',
    destination: ops['id'] as string,
    id: ops['id'] as string,
    incident: listed.id,
  }
}

t.test('no reader with few rights reads a planted credential (v3 11.2)', async t => {
  const ids = await plant()
  const paths = v3Routes
    .filter(({ method }) => method === 'GET')
    .flatMap(({ path }) => [{ ...ids }, { ...ids, resource: 'shop' }].map(some => filled(path, some)))
  const kept = new Set<string>()
  for (const path of new Set(paths)) {
    const own = await call('GET', path)
    // Nobody reports values of this website.
    t.equal(own.status, path.endsWith('/shop/values') ? 404 : 200, path)
    if (own.text.includes(mark)) kept.add(path)
    for (const [reader, token] of Object.entries(readers)) {
      const { text } = await call('GET', path, token)
      t.notMatch(text, mark, `${path} as ${reader}`)
    }
  }
  for (const path of [`${w1}/resources`, `${w1}/resources/host`, `${w1}/resources/host/observations`, `${w1}/templates`])
    t.ok(kept.has(path), `the owner reads it: ${path}`)
})

t.test('no tool shows an agent with few rights a planted credential', async t => {
  const [found] = (await call('GET', `${w1}/incidents`)).json.result
  const given: Record<string, unknown> = { workspace: 'w1', resource: 'host', incident: found.id, template: 'host@1' }
  for (const [reader, token] of Object.entries(readers)) {
    const api = async ({ method, path, query = {}, body }: ApiRequest) => {
      const sent: [string, string][] = Object.entries(query).flatMap(([name, value]) =>
        value === undefined ? [] : [[name, String(value)] as [string, string]],
      )
      const { json, status, text } = await call(method, `${path}?${new URLSearchParams(sent)}`, token, body)
      if (status >= 300) throw new Error(text)
      return { result: json.result, nextCursor: json.meta?.next_cursor ?? null }
    }
    let count = 0
    for (const tool of tools.filter(({ effect }) => effect === 'reads')) {
      const names = Object.keys(tool.arguments.properties).filter(name => name in given)
      const asked = Object.fromEntries(
        names.filter(name => tool.arguments.required?.includes(name)).map(name => [name, given[name]]),
      )
      if (tool.arguments.required?.some(name => !(name in given))) continue
      const outcome = await tool.run({ api, workspace: async () => 'w1' } as never, asked).catch((error: Error) => error.message)
      count += typeof outcome === 'string' ? 0 : 1
      t.notMatch(JSON.stringify(outcome), mark, `${tool.name} as ${reader}`)
    }
    t.ok(count >= 7, `${count} tools answered ${reader}`)
  }
})

const filled = (path: string, ids: Readonly<Record<string, string>>): string =>
  path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(ids[name] ?? name))
