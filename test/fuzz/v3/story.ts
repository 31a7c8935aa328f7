// A Resource from creation to archive, each step with its only correct response: publication of the Template, creation, reports, an
// acknowledged Incident, maintenance, another revision, archive. Afterwards every step is tried once more on the archived Resource.
// Reference: docs/reference/v3.md, sections 3 to 8.
import type { Wanted } from './judge.ts'
import { mutate } from './mutations.ts'
import { addressPath, type V3Operation } from './operations.ts'
import { home } from './people.ts'
import { requestOf, type V3Run } from './run.ts'
import { plant } from './secrets.ts'

type Json = Record<string, unknown>

const revision = (key: string, version: number) => ({
  key,
  version,
  name: 'Story',
  fields: [{ key: 'constructor', type: 'string' }],
  signals: [
    { key: 'probe', kind: 'event' },
    { key: 'constructor', kind: 'event' },
  ],
  rules: [
    {
      key: 'down',
      action: 'Look.',
      wait: { confirm_after: 0, recover_after: 0 },
      decision: { signal: version % 2 ? 'probe' : 'constructor', field: 'status', operator: 'eq', operand: 'problem' },
    },
  ],
})

const at = `/v3/workspaces/${home}`
const ofWorkspace = '/v3/workspaces/{workspace}'
const ofResource = `${ofWorkspace}/resources/{resource}`
const problem = { signal: 'probe', state: 'problem', reason: plant.reason, labels: { api_token: plant.label }, id: 'first' }
const gone: Wanted = { status: 422, field: 'resource' }

/** Runs all steps for Resource `number` and judges every response. */
export async function liveOnce(run: V3Run, number: number): Promise<void> {
  const life = createLife(run, `story-${number}`, `life-${number}`)
  await life.publish(1, { status: 201 })
  await life.publish(1, { status: 409 })
  await life.publish(2, { status: 201 })
  const { id: address, token } = await life.address({ status: 201 })
  const { id } = await life.create({ status: 201 })
  await life.create({ status: 409, field: 'key' })
  const first = await life.observe(problem, { status: 202 })
  const again = await life.observe({ ...problem, state: 'ok' }, { status: 202 })
  if (JSON.stringify(first) !== JSON.stringify(again)) run.complain('a sent id again is answered otherwise')
  const { open_incident: open } = await life.detail({ status: 200 })
  const incident = String((open as Json | null)?.['id'])
  if (incident === 'undefined') run.complain('a problem opened no Incident')
  await life.take(incident, { status: 200 })
  await life.take(incident, { status: 409 })
  for (const status of [200, 200]) await life.hold({ status })
  for (const status of [200, 409]) await life.release({ status })
  await life.change({ status: 200 })
  await life.rebind(1, { status: 422, field: 'template' })
  await life.rebind(2, { status: 200 })
  await life.take(incident, { status: 409 })
  await life.report(String(token), { status: 202 })
  await life.hold({ status: 200 })
  await readAll(run, { id: String(id), incident })
  await life.archive({ status: 200 })
  await life.observe({ ...problem, id: 'late' }, gone)
  await life.report(String(token), gone)
  const { accepted } = await life.batch([problem, { ...problem, id: 'late' }], { status: 200 })
  if (accepted !== 0) run.complain(`an archived Resource took ${accepted} Observations of a batch`)
  for (const again of [life.archive, life.hold, life.release, life.change]) await again({ status: 409 })
  await life.take(incident, { status: 409 })
  await life.rebind(1, { status: 409 })
  await life.create({ status: 409, field: 'key' })
  await readAll(run, { id: String(id), incident })
  await life.forgetAddress(String(address), { status: 200 })
  await pingOnce(life)
  await turnPages(run)
}

/** Makes a Resource with a ping address, which is read, replaced, and gone with the Resource. */
async function pingOnce(life: ReturnType<typeof createLife>): Promise<void> {
  await life.createJob({ status: 201 })
  await life.pingAddresses({ status: 200 })
  await life.rotate({ status: 200 })
  await life.archiveJob({ status: 200 })
  await life.rotate({ status: 409 })
}

/**
 * Reads two pages of every list of the workspace. Checks that no object appears twice in a list, and that a cursor is valid only for its
 * own list (v3 9.1).
 */
async function turnPages(run: V3Run): Promise<void> {
  const isList = ({ route, path }: V3Operation) => route?.query?.['cursor'] !== undefined && path.split('{').length === 2
  let foreign = ''
  for (const operation of run.operations.filter(isList)) {
    const read = async (query: string, wanted: Wanted): Promise<{ result: Json[] | null; meta: Json | null }> => {
      const path = `${operation.path.replace('{workspace}', home)}?${query}`
      const request = requestOf(run, operation, { path, body: null, caller: run.owner, wanted })
      return JSON.parse((await run.play({ ...request, broken: wanted.status < 400 ? [] : ['a cursor of another list'] })).text)
    }
    const first = await read('limit=1', { status: 200 })
    const cursor = encodeURIComponent(String(first.meta?.['next_cursor'] ?? ''))
    if (cursor === '') continue
    const second = await read(`limit=1&cursor=${cursor}`, { status: 200 })
    if (JSON.stringify(first.result) === JSON.stringify(second.result)) run.complain('the second page is the first one')
    await read(`cursor=${cursor}A`, { status: 422, field: 'cursor' })
    if (foreign !== '') await read(`cursor=${foreign}`, { status: 422, field: 'cursor' })
    foreign = cursor
  }
}

/** Steps of the Resource `key`. Each step requires one response and returns its result. */
function createLife(run: V3Run, template: string, key: string) {
  const resource = `${at}/resources/${key}`
  const step = async (line: string, path: string, body: Json | null, wanted: Wanted): Promise<Json> => {
    const { owner, random } = run
    const operation = run.operations.find(({ name }) => name === line)
    if (operation === undefined) throw new Error(`there is no operation ${line}`)
    const request = requestOf(run, operation, { path, body, caller: owner, wanted })
    if (body !== null && operation.body !== null && random.chance(0.3)) {
      // The API checks the body before the state of the Resource, so a faulty body gets the same refusal in every state.
      const broken = mutate(operation.body, body, operation.resolve, random)
      if (broken !== null) await run.play({ ...request, body: broken.text, broken: [broken.name], wanted: broken.expected })
    }
    const { text } = await run.play({ ...request, broken: wanted.status < 400 ? [] : ['a state that does not allow it'] })
    return (JSON.parse(text) as { result: Json | null }).result ?? {}
  }
  const made = { template: `${template}@1`, key, name: 'Life' }
  const taken = `${ofWorkspace}/incidents/{incident}/acknowledge`
  const answers = { constructor: 'x' }
  const job = { template: 'heartbeat-check', key: `job-${key}`, name: 'Job' }
  const jobPath = `${at}/resources/${job.key}`
  return {
    publish: (version: number, wanted: Wanted) =>
      step(`POST ${ofWorkspace}/templates`, `${at}/templates`, revision(template, version), wanted),
    address: (wanted: Wanted) => step(`POST ${ofWorkspace}/addresses`, `${at}/addresses`, { template }, wanted),
    forgetAddress: (id: string, wanted: Wanted) =>
      step(`DELETE ${ofWorkspace}/addresses/{id}`, `${at}/addresses/${id}`, null, wanted),
    create: (wanted: Wanted) => step(`POST ${ofWorkspace}/resources`, `${at}/resources`, made, wanted),
    detail: (wanted: Wanted) => step(`GET ${ofResource}`, resource, null, wanted),
    change: (wanted: Wanted) => step(`PATCH ${ofResource}`, resource, { name: 'Other', labels: { env: 'x' } }, wanted),
    observe: (sent: Json, wanted: Wanted) => step(`POST ${ofResource}/observations`, `${resource}/observations`, sent, wanted),
    hold: (wanted: Wanted) => step(`PUT ${ofResource}/maintenance`, `${resource}/maintenance`, { minutes: 5 }, wanted),
    release: (wanted: Wanted) => step(`DELETE ${ofResource}/maintenance`, `${resource}/maintenance`, null, wanted),
    archive: (wanted: Wanted) => step(`POST ${ofResource}/archive`, `${resource}/archive`, null, wanted),
    rebind: (version: number, wanted: Wanted) =>
      step(`POST ${ofResource}/rebind`, `${resource}/rebind`, { template: `${template}@${version}`, meta: answers }, wanted),
    take: (incident: string, wanted: Wanted) => step(`POST ${taken}`, `${at}/incidents/${incident}/acknowledge`, null, wanted),
    createJob: (wanted: Wanted) => step(`POST ${ofWorkspace}/resources`, `${at}/resources`, job, wanted),
    pingAddresses: (wanted: Wanted) => step(`GET ${ofResource}/ping-addresses`, `${jobPath}/ping-addresses`, null, wanted),
    rotate: (wanted: Wanted) =>
      step(`POST ${ofResource}/ping-addresses/{signal}/rotate`, `${jobPath}/ping-addresses/run/rotate`, null, wanted),
    archiveJob: (wanted: Wanted) => step(`POST ${ofResource}/archive`, `${jobPath}/archive`, null, wanted),
    report: (token: string, wanted: Wanted) =>
      step(`POST ${addressPath}`, `/in/${token}`, { resource: key, signal: 'constructor', state: 'problem' }, wanted),
    batch: (items: Json[], wanted: Wanted) => {
      const observations = items.map(item => ({ resource: key, ...item }))
      return step(`POST ${ofWorkspace}/observations`, `${at}/observations`, { observations }, wanted)
    },
  }
}

/** Reads the Resource and its Incident by every route as every caller who may read, and judges that no response shows a secret. */
async function readAll(run: V3Run, { id, incident }: { id: string; incident: string }): Promise<void> {
  const readers = run.callers.filter(
    ({ role, actions }) => role !== null && role !== 'stranger' && (actions === null || actions.length === 0),
  )
  // Ping addresses are secrets, which only editors with a full key read.
  const reads = run.operations.filter(
    ({ method, path, route }) => method === 'GET' && /[{](resource|incident)[}]/.test(path) && route?.needs.scope === null,
  )
  for (const operation of reads) {
    const path = operation.path.replace('{workspace}', home).replace('{resource}', id).replace('{incident}', incident)
    for (const caller of readers) await run.play(requestOf(run, operation, { path, body: null, caller, wanted: { status: 200 } }))
  }
}
