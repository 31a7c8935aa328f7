// GET and POST …/configuration of a real installation, as programs use them (docs/reference/v3.md, section 15).
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { limits } from '#shared/limits/limits.ts'
import { startProgram } from '../../integration/system.ts'
import { eventually, temporaryFolder } from '../run-program.ts'

const data = join(temporaryFolder(t), 'data')
const program = await startProgram({ DATA_DIR: data })
t.teardown(() => program.stop())
const { url } = JSON.parse(readFileSync(join(data, 'api.json'), 'utf8')) as { url: string }
const key = readFileSync(join(data, 'first-key'), 'utf8').trim()

async function call(method: string, path: string, body?: unknown) {
  const response = await fetch(`${url}/api/v3${path}`, {
    method,
    headers: { authorization: `Bearer ${key}` },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  return { status: response.status, ...((await response.json()) as { result: never; error: never }) }
}

let made = 0
const newWorkspace = async (): Promise<string> =>
  ((await call('POST', '/workspaces', { name: `Place ${++made}` })).result as { id: string }).id

const hook = 'https://hooks.example.com/very-secret'
const values = { WATCHKEEPER_DESTINATION_OPS_URL: hook }
const destination = 'kind: Destination\nname: Ops\ntype: webhook\n'
const monitor =
  'kind: Monitor\nkey: shop\nname: Shop\nmeta: {url: "https://shop.example/", locations: [local], interval_value: 1}\n'
const document = `${destination}---\n${monitor}`

t.test(
  'plan shows what would be done and stores nothing, and the same request without dry_run does it once (v3 15.3)',
  async t => {
    const path = `/workspaces/${await newWorkspace()}/configuration`
    const planned = await call('POST', path, { document, values, dry_run: true })
    t.match(planned, {
      status: 200,
      result: {
        state: 'planned',
        steps: [
          { result: 'made', kind: 'Destination', name: 'Ops', file: 'document', line: 1 },
          { result: 'made', kind: 'Monitor', name: 'shop', file: 'document', line: 5 },
        ],
        counts: { made: 2, changed: 0, left: 0, deleted: 0, archived: 0 },
        remaining: 2,
        failed: null,
      },
    })
    t.match((await call('GET', path)).result, { files: {}, objects: 0 }, 'nothing is stored')
    const applied = await call('POST', path, { files: { 'a.yaml': destination, 'b.yaml': monitor }, values })
    t.match(applied.result, { state: 'applied', counts: { made: 2 }, remaining: 0, failed: null })
    t.match((await call('POST', path, { document })).result, { state: 'applied', counts: { made: 0, left: 2 } }, 'a second time')
    t.notMatch(JSON.stringify([planned, applied]), 'very-secret')
  },
)

t.test('workspace is exported as files or as one document, without secrets (v3 15.1)', async t => {
  const path = `/workspaces/${await newWorkspace()}/configuration`
  await call('POST', path, { document, values })
  const files = (await call('GET', path)).result as { files: Record<string, string>; objects: number; omitted: string[] }
  t.match(files, { files: { 'destinations.yaml': /name: Ops/ }, objects: 2, omitted: [String] })
  const whole = (await call('GET', `${path}?form=document`)).result as { document: string }
  t.match(whole, { document: /kind: Monitor/, objects: 2 })
  t.notMatch(JSON.stringify([files, whole]), 'very-secret')
})

t.test('request has files or a document within the bounds (v3 15.2)', async t => {
  const path = `/workspaces/${await newWorkspace()}/configuration`
  const many = Object.fromEntries(Array.from({ length: limits.configuration.files + 1 }, (_, i) => [`${i}.yaml`, '']))
  const cases: [name: string, body: object, status: number, field: string | undefined][] = [
    ['nothing', {}, 422, 'files'],
    ['both', { files: { a: destination }, document }, 422, 'document'],
    ['a file that is no text', { files: { a: 1 } }, 422, 'files'],
    ['a value that is no text', { document, values: { A: 1 } }, 422, 'values'],
    ['too many files', { files: many }, 422, 'files'],
    ['too much text', { document: 'x'.repeat(limits.configuration.bytes + 1) }, 413, undefined],
    [
      'a large document that arrives whole',
      { document: `${document}# ${'x'.repeat(10_000_000)}`, values, dry_run: true },
      200,
      undefined,
    ],
  ]
  for (const [name, body, status, field] of cases) {
    const sent = await call('POST', path, body)
    t.equal(sent.status, status, `${name}: ${JSON.stringify(sent.error)}`)
    t.equal((sent.error as { details?: { field?: string } } | null)?.details?.field, field, name)
  }
  t.match((await call('GET', path)).result, { objects: 0 }, 'nothing is stored')
})

t.test('faults of all files refuse all of them (v3 15.4)', async t => {
  const path = `/workspaces/${await newWorkspace()}/configuration`
  const sent = await call('POST', path, { files: { 'a.yaml': destination, 'b.yaml': 'kind: Monitor\nkey: x\n' }, values })
  t.match(sent, { status: 422, error: { code: 1422, details: { field: 'files', faults: [{ file: 'b.yaml', line: 1 }] } } })
  t.match((await call('GET', path)).result, { objects: 0 }, 'nothing is stored')
})

t.test(
  'each step is a request of the caller; one that is refused ends the request, and those before it stay (v3 15.5)',
  async t => {
    const workspace = await newWorkspace()
    const path = `/workspaces/${workspace}/configuration`
    const most = limits.destination.perWorkspace
    const names = Array.from({ length: most + 1 }, (_, i) => `Hook ${i}`)
    const urls = Object.fromEntries(names.map((_, i) => [`WATCHKEEPER_DESTINATION_HOOK_${i}_URL`, hook]))
    const all = names.map(name => `kind: Destination\nname: ${name}\ntype: webhook\n`).join('---\n')
    const sent = (await call('POST', path, { document: all, values: urls })).result as {
      state: string
      steps: object[]
      remaining: number
      failed: { kind: string; message: string }
    }
    t.match(sent, { state: 'failed', failed: { kind: 'Destination', message: /at most/, may_repeat: false } })
    t.equal(sent.steps.length, most)
    t.match((await call('GET', path)).result, { objects: most }, 'those before it stay')
    const audit = async () => (await call('GET', `/workspaces/${workspace}/audit?limit=100`)).result as { path: string }[]
    // Rows are stored a moment after the response.
    await eventually(
      'steps have rows in the audit',
      async () => (await audit()).filter(row => row.path.endsWith('/destinations')).length > 90,
    )
  },
)
