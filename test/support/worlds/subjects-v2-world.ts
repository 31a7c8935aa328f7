// World of the conformance tests of custom subjects of generation 2: the API before the real keeper in virtual time, its people, requests
// to each route, and tables of refusals. Each test file has a world of its own.
import t, { type Test } from 'tap'
import type { Role } from '#shared/contracts/account.ts'
import { type Refusal, refuseAll, resultOf } from '../clients/answers.ts'
import { watchRefusals } from '../clients/documented-refusals.ts'
import type { CallOptions } from './api-world.ts'
import { startWholeWorld } from './whole-world.ts'

export const subjects = '/api/v2/subjects'
export const home = 'home000000'
export const other = 'other00000'
export const foreign = 'foreign000'
export const minute = 60_000
export const second = 1_000

const watching = watchRefusals(await startWholeWorld())
export const world = watching.front
t.teardown(() => world.stop())
await world.addLocations(['de', 'fr'])

const tokenOf = async (name: string, roles: Record<string, Role>, displayName = '') =>
  (await world.addPerson(name, roles, { displayName })).token
export const owner = await tokenOf('owner', { [home]: 'owner' }, 'Olga Owner')
export const editor = await tokenOf('editor', { [home]: 'editor' })
export const viewer = await tokenOf('viewer', { [home]: 'viewer' })
export const stranger = await tokenOf('stranger', { [foreign]: 'owner' })
export const both = await tokenOf('both', { [home]: 'owner', [other]: 'editor' })

export const get = (path: string, token: string | null = owner, options: CallOptions = {}) =>
  world.call('GET', path, { token, ...options })
export const post = (path: string, body?: unknown, token: string | null = owner) => world.call('POST', path, { token, body })
export const remove = (path: string, token: string | null = owner) => world.call('DELETE', path, { token })
export const raw = (path: string, text: string) =>
  world.call('POST', path, { token: owner, raw: text, headers: { 'content-type': 'application/json' } })
/** Returns a path with each part percent-encoded. */
export const at = (...parts: string[]) => [subjects, ...parts.map(encodeURIComponent)].join('/')
export const iso = (ms: number) => new Date(ms).toISOString()

/** Details of a refusal by its message, for messages whose details are always the same. */
const usual: Record<string, string> = {
  'Access denied': 'User does not have access to this workspace',
  'Already in maintenance': 'A maintenance window runs already; move its end or cancel it',
  'Incident not found': 'The incident does not exist or belongs to something else',
  'Invalid signal kind': 'kind must be custom_heartbeat or custom_event',
  'Missing workspace ID': 'workspace_id query parameter is required',
  'No maintenance window': 'No maintenance window is running',
  'Not found': 'There is no such route',
  'Rule is managed by Website monitoring': 'This rule is maintained by Website monitoring',
  'Rule not found': 'Rule does not exist or access denied',
  'Signal does not accept posted observations': 'Website monitoring alone reports on this signal',
  'Signal is managed by Website monitoring': 'This signal is maintained by Website monitoring',
  'Signal not found': 'Signal does not exist or access denied',
  'Subject not found': 'Subject does not exist or access denied',
  'This request takes no body': 'Send the request without a body',
  'Website subjects are created elsewhere': 'A website subject is made with its monitor: POST /v2/monitoring/websites',
  'Website subjects are managed elsewhere': 'This subject is a website monitor; use /v1/rules or /v2/monitoring/websites',
  'invalid status': 'status must be ok or problem',
}

/**
 * Returns the usual details of a refusal. `Access denied` has other details in cases whose title contains "viewer": there the role is too
 * low.
 */
const usualOf = ({ title, message = '' }: Refusal) =>
  message === 'Access denied' && title.includes('viewer') ? 'Needs the role editor; yours is viewer.' : usual[message]

export const refuses = (refusals: readonly Refusal[], within?: Test) =>
  refuseAll(
    () => world.dump(),
    refusals.map(refusal => {
      const details = refusal.details ?? usualOf(refusal)
      return details === undefined ? refusal : { ...refusal, details }
    }),
    within,
  )

let number = 0
/** Creates a subject and returns its slug. */
export const made = async (name = `Subject ${++number}`, workspace = home, token = owner): Promise<string> =>
  resultOf(await post(subjects, { workspace_id: workspace, name }, token)).id
export const signal = async (subject: string, name = 'Beat', kind = 'heartbeat'): Promise<string> =>
  resultOf(await post(at(subject, 'signals'), { name, kind })).id
export const statusOf = (slug: string, more: Record<string, unknown> = {}) => ({ signal: slug, mode: 'status', ...more })
export const anyOf = (...inputs: Record<string, unknown>[]) => ({ inputs, decision: { need: 'any' } })
export const rule = async (subject: string, document: unknown, name = 'Trouble'): Promise<string> =>
  resultOf(await post(at(subject, 'rules'), { name, document })).id
/** Returns the stored versions of a rule's policy. */
export const keptVersions = async (subject: string, ruleSlug: string): Promise<number[]> => {
  const [{ id: subjectId } = { id: '' }] = await world.store.find('subjects', { where: { slug: subject }, limit: 1 })
  const kept = await world.store.find('policies', { where: { subjectId }, sort: [['version', 'asc']], limit: 100 })
  return kept.filter(policy => policy.ruleSlug === ruleSlug).map(policy => policy.version)
}
export const report = (subject: string, slug: string, body: Record<string, unknown>, token = owner) =>
  post(at(subject, 'signals', slug, 'observations'), body, token)
export const incidents = async (subject: string) => resultOf(await get(at(subject, 'incidents')))
/** Creates a subject with one event signal and a rule over the status of the signal. */
export const watched = async (document: (slug: string) => unknown = slug => anyOf(statusOf(slug)), kind = 'event') => {
  const subject = await made()
  const slug = await signal(subject, 'Job', kind)
  const ruleSlug = await rule(subject, document(slug))
  return { subject, slug, ruleSlug }
}
export const website = async (name: string, workspace = home): Promise<{ id: string; slug: string }> => {
  const body = {
    name,
    interval: 60,
    workspace_id: workspace,
    request: { url: 'https://shop.example/', method: 'GET' },
    response: { statuses: [200] },
    locations: ['de', 'fr'],
  }
  const id = resultOf(await post('/api/v2/monitoring/websites', body, both)).id
  const [document] = await world.store.get('subjects', [id])
  return { id, slug: document?.slug ?? '' }
}

/** Adds the last test of a file: the document of each route must list every refusal of the file's requests. */
export const documentsNameEveryRefusal = () =>
  t.test('OpenAPI document lists every refusal that the requests of this file got', async t =>
    t.strictSame(watching.undocumented, []),
  )
