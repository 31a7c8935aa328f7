// An API with Resources of a Template with a scheduled signal, and a keeper that takes pings as a test says.
import { connect } from 'node:net'
import type { Test } from 'tap'
import type { CommandOf } from '#shared/contracts/subjects/command.ts'
import { type Answer, type CallOptions, startApiWorld } from '../../support/worlds/api-world.ts'

type Options = NonNullable<Parameters<typeof startApiWorld>[0]>

const wait = { confirm_after: 0, recover_after: 0 }
const scheduled = (key: string) => ({ key, kind: 'schedule', schedule: { period_seconds: 3_600, grace_seconds: 600 } })
const missed = (signal: string) => ({ key: signal, action: 'Look.', wait, decision: { signal, field: 'missed' } })
const failing = {
  key: 'beat',
  action: 'Look.',
  wait,
  decision: { signal: 'beat', field: 'status', operator: 'eq', operand: 'problem' },
}

/** `job` has one scheduled signal, `jobs` two, `beat` none. */
const templates = [
  { key: 'job', version: 1, name: 'Job', signals: [scheduled('run')], rules: [missed('run')] },
  { key: 'jobs', version: 1, name: 'Jobs', signals: ['day', 'night'].map(scheduled), rules: ['day', 'night'].map(missed) },
  { key: 'beat', version: 1, name: 'Beat', signals: [{ key: 'beat', kind: 'heartbeat', every_seconds: 60 }], rules: [failing] },
]

export interface PingAddress {
  signal: string
  url: string
  push_url: string | null
}

export async function startPings(t: Test, options: Options = {}) {
  const world = await startApiWorld(options)
  t.teardown(() => world.stop())
  const owner = (await world.addPerson('olga', { w1: 'owner', w2: 'owner' })).token
  const call = (method: string, path: string, given: CallOptions = {}) =>
    world.call(method, `/api/v3/workspaces/w1${path}`, { token: owner, ...given })
  const made = async (path: string, body: object) => {
    const { status, json, text } = await call('POST', path, { body })
    if (status !== 201) throw new Error(`${path}: ${text}`)
    return json.result
  }
  for (const template of templates) await made('/templates', template)
  /** Pings that the keeper has taken. */
  const taken: CommandOf<'ping'>[] = []
  world.keeper.takesPing = command => {
    taken.push(command)
    return 'stored'
  }
  const resource = async (key: string, more: object = {}): Promise<string> =>
    (await made('/resources', { template: 'job', key, name: key, ...more })).id
  const addresses = async (key: string): Promise<PingAddress[]> =>
    (await call('GET', `/resources/${key}/ping-addresses`)).json.result
  /** Path of the ping address of a Resource with one scheduled signal. */
  const pathOf = async (key: string): Promise<string> => new URL((await addresses(key))[0]?.url ?? '').pathname
  const pingKey = async (body: object = {}): Promise<{ id: string; key: string }> => made('/ping-keys', body)
  const ping = (path: string, given: CallOptions & { method?: string } = {}): Promise<Answer> =>
    world.call(given.method ?? 'GET', path, given)
  return { ...world, owner, call, made, taken, resource, addresses, pathOf, pingKey, ping }
}

export type PingWorld = Awaited<ReturnType<typeof startPings>>

/** Sends bytes and returns all that arrive until the connection closes. */
export function exchange(address: string, bytes: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let received = ''
    const socket = connect(Number(new URL(address).port), '127.0.0.1', () => socket.write(bytes))
    socket.on('data', chunk => (received += chunk.toString()))
    socket.on('close', () => resolve(received))
    socket.on('error', reject)
  })
}
