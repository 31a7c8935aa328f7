// World of the conformance tests of notifications of generation 2: the API with a real notifier, a receiver over HTTP, people, requests,
// and the objects for tables of refusals. Each test file has a world of its own.
import { pino } from 'pino'
import { Registry } from 'prom-client'
import t from 'tap'
import type { Role } from '#shared/contracts/account.ts'
import { startNotifier } from '../../../services/notifier/app.ts'
import { createReceiver, type Answer as Heard, options as notifierOptions } from '../../notifier/house.ts'
import { type Refusal, refuseAll, resultOf } from '../clients/answers.ts'
import { watchRefusals } from '../clients/documented-refusals.ts'
import { startApiWorld } from './api-world.ts'

export const base = '/api/v2/notifications'
export const destinations = `${base}/destinations`
export const transformations = `${base}/transformations`
export const deliveries = `${base}/deliveries`
export const home = 'home000000'
export const other = 'other00000'
export const foreign = 'foreign000'
export const inHome = `?workspace_id=${home}`

let answering: Heard = { status: 200 }
/** Sets the receiver's response from now on. */
export const answerWith = (answer: Heard): void => {
  answering = answer
}

const watching = watchRefusals(await startApiWorld())
export const world = watching.front
export const receiver = await createReceiver(() => answering)
const logger = pino({ level: 'debug' }, { write: (line: string) => void world.logged.push(line) })
const context = { store: world.store, clock: world.clock, bus: world.hub.connect(), logger, metrics: new Registry() }
export const notifier = await startNotifier(context, { ...notifierOptions, notifierId: 'n1' })
t.teardown(async () => {
  await notifier.stop()
  await receiver.close()
  await world.stop()
})

const tokenOf = async (name: string, roles: Record<string, Role>) => (await world.addPerson(name, roles)).token
export const owner = await tokenOf('owner', { [home]: 'owner' })
export const editor = await tokenOf('editor', { [home]: 'editor' })
export const viewer = await tokenOf('viewer', { [home]: 'viewer' })
export const stranger = await tokenOf('stranger', { [foreign]: 'owner' })
export const both = await tokenOf('both', { [home]: 'owner', [other]: 'editor' })
let people = 0

export const get = (path: string, token = owner) => world.call('GET', path, { token })
export const post = (path: string, body?: unknown, token = owner) => world.call('POST', path, { token, body })
export const remove = (path: string, token = owner) => world.call('DELETE', path, { token })
export const now = () => new Date(world.clock.now()).toISOString()

export const refuses = (refusals: readonly Refusal[]) => refuseAll(() => world.dump(), refusals)

export const destination = (change: Record<string, unknown> = {}) => ({
  name: 'Ops',
  url: 'https://hooks.example/x',
  destination_type: 'slack',
  ...change,
})
/** Returns the body of an update: the body of a creation without the type. */
export const changes = (change: Record<string, unknown> = {}) => {
  const { destination_type: _, ...rest } = destination(change) as Record<string, unknown>
  return rest
}
/** Creates a workspace with one member, so that test cases do not affect each other. */
export const workspace = async (name: string) => {
  const id = `${name.padEnd(8, '0')}${String(people++).padStart(2, '0')}`
  return { id, token: (await world.addPerson(id, { [id]: 'editor' })).token }
}
export const addDestination = async (token: string, change: Record<string, unknown> = {}) =>
  resultOf(await post(destinations, destination(change), token))
export const addTransformation = async (token: string, name: string, template: string) =>
  resultOf(await post(transformations, { name, template }, token))
export const addSubject = (id: string, workspaceId: string, kind: 'website' | 'custom' = 'website', slug = `slug-${id}`) =>
  world.addSubject({ id, workspaceId, slug, kind, ...(kind === 'custom' ? { template: null, meta: null } : {}) })
export const marks = async (token: string): Promise<string[]> =>
  resultOf(await get(destinations, token))
    .filter((one: { default: boolean }) => one.default)
    .map((one: { name: string }) => one.name)

/**
 * Ids of the objects that tests of refusals name in their requests. Destinations and transformations are numbered within their workspace.
 */
export const things = { first: 0, second: 0, off: 0, transformation: 0, foreign: 0, foreignTransformation: 0 }
/** Creates the objects of `things`, and two subjects in each of two workspaces. */
export async function makeThings(): Promise<void> {
  things.transformation = (await addTransformation(editor, 'Taken', 'x')).id
  things.first = (await addDestination(editor, { name: 'Taken' })).id
  things.second = (await addDestination(editor, { name: 'Second' })).id
  things.off = (await addDestination(editor, { name: 'Off' })).id
  resultOf(await post(`${destinations}/${things.off}/enabled`, { enabled: false }, editor))
  things.foreign = (await addDestination(stranger, { name: 'Foreign' })).id
  things.foreignTransformation = (await addTransformation(stranger, 'Foreign', 'x')).id
  await addSubject('Web0000001', home)
  await addSubject('Cus0000001', home, 'custom', 'nightly-job')
  await addSubject('For0000001', foreign)
  await addSubject('For0000002', foreign, 'custom', 'foreign-job')
}

/** Adds the last test of a file: the document of each route must list every refusal of the file's requests. */
export const documentsNameEveryRefusal = () =>
  t.test('OpenAPI document lists every refusal that the requests of this file got', async t =>
    t.strictSame(watching.undocumented, []),
  )
