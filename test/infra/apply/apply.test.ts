// `./watchkeeper apply` and `export` as processes against a real installation, also when it is killed during an apply.
import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { createApiClient } from '#shared/api-v3/client.ts'
import { startProgram } from '../../integration/system.ts'
import { eventually, runProgram, temporaryFolder } from '../run-program.ts'
import { job as plainJob } from './planned.ts'

const folder = temporaryFolder(t)
const data = join(folder, 'data')
const program = await startProgram({ DATA_DIR: data })
t.teardown(() => program.stop())
const { url } = JSON.parse(readFileSync(join(data, 'api.json'), 'utf8')) as { url: string }
const key = readFileSync(join(data, 'first-key'), 'utf8').trim()
const hook = 'https://hooks.example.com/very-secret'
const environment = {
  HOME: folder,
  DATA_DIR: join(folder, 'nothing'),
  WATCHKEEPER_URL: url,
  WATCHKEEPER_API_KEY: key,
  WATCHKEEPER_DESTINATION_OPS_URL: hook,
}
const run = (t: Test, words: string[], over: Record<string, string> = {}) =>
  runProgram(t, words, { ...environment, ...over }).ended

async function newWorkspace(name: string): Promise<string> {
  const headers = { authorization: `Bearer ${key}` }
  const response = await fetch(`${url}/api/v3/workspaces`, { method: 'POST', headers, body: JSON.stringify({ name }) })
  return ((await response.json()) as { result: { id: string } }).result.id
}

function filesOf(name: string, files: Record<string, string>): string {
  const place = join(folder, name)
  mkdirSync(place, { recursive: true })
  for (const [file, text] of Object.entries(files)) writeFileSync(join(place, file), text)
  return place
}

const job = `${plainJob}    destination: {name: Ops}\n`
const ops = 'kind: Destination\nname: Ops\ntype: webhook\n'
const resource = (name: string, more = '') => `---\nkind: Resource\nkey: ${name}\nname: ${name}\ntemplate: job\n${more}`

t.test('apply creates, changes or keeps the objects of the files, and deletes other objects only with --prune', async t => {
  const workspace = await newWorkspace('Whole')
  const place = filesOf('whole', { 'a.yaml': `${ops}---\n${job}`, 'b.yaml': resource('one') + resource('two') })
  const apply = (...more: string[]) => run(t, ['apply', place, '--workspace', workspace, ...more])

  const dry = await apply('--dry-run')
  t.match(dry, { code: 2, stderr: '' }, 'the workspace differs from the files')
  t.match(
    dry.stdout,
    /^Nothing is written\. It would be:\nmade {6}Destination Ops\nmade {6}Template job@1\nmade {6}Resource one: job@1\n/,
  )
  t.match((await apply('--dry-run')).stdout, /\n4 made, 0 changed, 0 left\.\n$/, 'nothing was written')

  const first = await apply()
  t.match(first, { code: 0, stderr: '' })
  t.match(first.stdout, /^made {6}Destination Ops\nmade {6}Template job@1\nmade {6}Resource (one|two): job@1\n/)
  t.match(first.stdout, /\n4 made, 0 changed, 0 left\.\n$/)
  const second = await apply('--json')
  t.match(JSON.parse(second.stdout), { dry_run: false, counts: { made: 0, changed: 0, left: 4, deleted: 0, archived: 0 } })

  writeFileSync(join(place, 'a.yaml'), `${ops}---\n${job.replace('Look.', 'Read the log.')}`)
  writeFileSync(join(place, 'b.yaml'), resource('one', 'labels: {env: live}\nmeta: {most: 7}\n'))
  const differing = await apply('--dry-run')
  t.equal(differing.code, 2)
  t.match(
    differing.stdout,
    /changed {3}Resource one: from job@1 to job@2, labels.env\n {12}template: "job@1" -> "job@2"\n {12}labels.env: \(none\) -> "live"\n/,
  )
  const shown = JSON.parse((await apply('--dry-run', '--json')).stdout)
  t.match(shown.steps.find(({ name }: { name: string }) => name === 'one').changes[1], {
    member: 'labels.env',
    old: null,
    new: 'live',
  })
  const third = await apply()
  t.equal((await apply('--dry-run')).code, 0, 'nothing differs after an apply')
  t.match(
    third.stdout,
    /^left {6}Destination Ops\nmade {6}Template job@2\nchanged {3}Resource one: from job@1 to job@2, labels.env\n/,
  )
  t.match(third.stdout, /\n1 made, 1 changed, 1 left\.\n$/, 'two stays, because nothing is pruned')

  const pruned = await apply('--prune')
  t.match(pruned.stderr, /^No file names these, and --prune takes them away:\n {2}Resource two will be archived\n$/)
  t.match(pruned.stdout, /\narchived {2}Resource two\n0 made, 0 changed, 3 left, 1 archived\.\n$/)
  t.match((await apply('--prune')).stdout, /\n0 made, 0 changed, 3 left\.\n$/, 'what is archived is not archived again')
})

t.test('apply refuses a wrong file with the line of the fault and exit code 4, and writes nothing', async t => {
  const workspace = await newWorkspace('Wrong')
  const place = filesOf('wrong', { 'a.yaml': ops, 'b.yaml': `${job}${resource('one', 'meta: {most: many}\n')}` })
  const { code, stdout, stderr } = await run(t, ['apply', place, '--workspace', workspace, '--json'])
  t.equal(code, 4)
  t.match(stderr, /^\S+\/b\.yaml:19: meta\.most: Field 'most' must be .*\n$/)
  t.match(JSON.parse(stdout), {
    error: { file: join(place, 'b.yaml'), place: '19', line: 19, column: 8, message: /^meta\.most: / },
  })
  writeFileSync(join(place, 'b.yaml'), job)
  t.match((await run(t, ['apply', place, '--workspace', workspace])).stdout, /2 made, 0 changed, 0 left/, 'there was nothing')
})

t.test(
  'apply of which the program is killed in the middle says to run it again, and that run goes on from there (v3 15.6)',
  async t => {
    const own = join(folder, 'own')
    const settings = { DATA_DIR: own }
    const killed = await startProgram(settings)
    const place = () => ({
      WATCHKEEPER_URL: (JSON.parse(readFileSync(join(own, 'api.json'), 'utf8')) as { url: string }).url,
      WATCHKEEPER_API_KEY: readFileSync(join(own, 'first-key'), 'utf8').trim(),
    })
    const { WATCHKEEPER_URL: at, WATCHKEEPER_API_KEY: itsKey } = place()
    const client = createApiClient({ url: at, key: itsKey, userAgent: 'test' })
    const [workspace] = (await client.call({ method: 'GET', path: '/workspaces' })).result as { id: string }[]
    const names = Array.from({ length: 400 }, (_, i) => `srv-${i}`)
    const files = filesOf('middle', { 'a.yaml': `${ops}---\n${job}${names.map(name => resource(name)).join('')}` })
    const events = client.events(`/workspaces/${workspace?.id}/events`, null)
    await events.next()
    const applying = run(t, ['apply', files], place())
    let rows = 0
    for await (const { event } of events) if (event === 'row' && ++rows === 20) break
    await killed.kill()
    const broken = await applying
    t.equal(broken.code, 3)
    t.match(broken.stderr, /^Watchkeeper can't be reached at .* Run it again to go on\.\n$/)
    const program = await startProgram(settings)
    t.teardown(() => program.stop())
    // A creation that was killed half way keeps its key for a minute.
    let runs = 0
    await eventually(
      'the files are applied',
      async () => {
        const { code, stdout, stderr } = await run(t, ['apply', files], place())
        if (runs++ === 0) t.ok(Number(/(\d+) left/.exec(stdout)?.[1]) >= 20, `some were done before: ${stdout.slice(-200)}`)
        if (code !== 0)
          t.match(
            { code, stderr },
            { code: 3, stderr: /Resource srv-\d+ failed: The key srv-\d+ is taken: .*run it again to go on\.$/m },
          )
        return code === 0
      },
      120_000,
    )
    t.match((await run(t, ['apply', files], place())).stdout, /\n0 made, 0 changed, 402 left\.\n$/)
  },
)

t.test('export refuses a folder with content, and --force replaces only files of an earlier export', async t => {
  const workspace = await newWorkspace('Exported')
  const place = filesOf('source', {
    'a.json': JSON.stringify([{ kind: 'Destination', name: 'Ops', type: 'webhook' }]),
    'b.yaml': job,
  })
  t.equal((await run(t, ['apply', place, '--workspace', workspace])).code, 0)
  const target = join(folder, 'exported')
  const done = await run(t, ['export', target, '--workspace', workspace])
  t.match(done, {
    code: 0,
    stderr: /^Members, keys, Observation addresses, .*\nThe URLs and secrets of destinations are left out: .*\n$/,
  })
  t.match(done.stdout, /destinations\.yaml\n\S+templates\/job\.yaml\n2 objects in 2 files\.\n$/)
  t.notMatch(readFileSync(join(target, 'destinations.yaml'), 'utf8'), /very-secret/)
  const refused = await run(t, ['export', target, '--workspace', workspace])
  t.match(refused, { code: 4, stderr: /is not empty: name another one, or say --force\.\n$/ })
  writeFileSync(join(target, 'mine.yaml'), '# mine\n')
  writeFileSync(join(target, 'monitors.yaml'), '# Written by ./watchkeeper export.\nkind: Monitor\n')
  t.equal((await run(t, ['export', target, '--workspace', workspace, '--force'])).code, 0)
  t.strictSame(readdirSync(target).sort(), ['destinations.yaml', 'mine.yaml', 'templates'])
  t.match((await run(t, ['apply', target, '--workspace', workspace])).stdout, /\n0 made, 0 changed, 2 left\.\n$/)
})

t.test(
  'export writes no credential, in files of their owner alone, and apply takes credentials from the environment',
  async t => {
    const [workspace, copy] = [await newWorkspace('Secretive'), await newWorkspace('Copy')]
    const address = 'http://user:hidden@127.0.0.1:9/a?token=hidden&n=1'
    const meta = `{url: '${address}', data: hidden, method: POST, locations: [local], interval_value: 5}`
    const place = filesOf('secretive', {
      'a.yaml': `kind: Monitor\nkey: shop\nname: Shop\nmeta: ${meta}\nlabels: {api.key: hidden}\n`,
    })
    t.match(await run(t, ['apply', place, '--workspace', workspace]), { code: 0 })
    const target = join(folder, 'redacted')
    const done = await run(t, ['export', target, '--workspace', workspace])
    t.match(done, { code: 0, stderr: /The Monitor shop has secrets, which the file shows as \[redacted\]/ })
    const file = join(target, 'monitors.yaml')
    t.equal(statSync(file).mode & 0o777, 0o600)
    t.notMatch(readFileSync(file, 'utf8'), 'hidden')
    chmodSync(file, 0o644)
    t.match(await run(t, ['export', target, '--workspace', workspace, '--force']), { code: 0 })
    t.equal(statSync(file).mode & 0o777, 0o600, 'also of a file that was there')
    t.match((await run(t, ['apply', target, '--workspace', workspace])).stdout, /^left {6}Monitor shop\n/)
    const refused = await run(t, ['apply', target, '--workspace', copy])
    t.match(refused, { code: 4, stdout: '', stderr: /meta\.url: .*: set WATCHKEEPER_RESOURCE_SHOP_URL to the whole value/ })
    const secrets = {
      WATCHKEEPER_RESOURCE_SHOP_URL: address,
      WATCHKEEPER_RESOURCE_SHOP_DATA: 'hidden',
      WATCHKEEPER_RESOURCE_SHOP_LABEL_API_KEY: 'hidden',
    }
    t.match(await run(t, ['apply', target, '--workspace', copy], secrets), { code: 0, stdout: /^made {6}Monitor shop/ })
    const headers = { authorization: `Bearer ${key}` }
    const response = await fetch(`${url}/api/v3/workspaces/${copy}/resources/shop`, { headers })
    const { result } = (await response.json()) as { result: { meta: object; labels: object } }
    t.match(result, { meta: { url: address, data: 'hidden' }, labels: { 'api.key': 'hidden' } })
  },
)

t.test('destination at a port of the installation itself is not called', async t => {
  const workspace = await newWorkspace('Itself')
  const headers = { authorization: `Bearer ${key}` }
  const post = async (path: string, body: object) => {
    const response = await fetch(`${url}/api/v3/workspaces/${workspace}${path}`, {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
    })
    return ((await response.json()) as { result: { id: string } }).result
  }
  const { id } = await post('/destinations', { name: 'Self', type: 'webhook', url: `${url}/api/v3/nothing` })
  t.match(await post(`/destinations/${id}/test`, {}), { status: 'failed', reason: 'not_sent' })
})

t.test('apply and export say whether the key, the address of the server or the path of the files is wrong', async t => {
  const place = filesOf('any', { 'a.yaml': ops })
  t.match(await run(t, ['apply', place], { WATCHKEEPER_API_KEY: 'wk_none' }), { code: 4, stderr: /^The key was refused/ })
  t.match(await run(t, ['export', join(folder, 'never')], { WATCHKEEPER_URL: 'http://127.0.0.1:1' }), {
    code: 3,
    stderr: /can't be reached/,
  })
  t.match(await run(t, ['apply', join(folder, 'no-such')]), { code: 5, stderr: /^There is no file or folder/ })
})
