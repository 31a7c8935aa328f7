// `./watchkeeper template publish`, `preview` and `rebind` as processes against a real installation.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { allSystemTemplates } from '#shared/manifest/system-templates.ts'
import { startProgram } from '../../integration/system.ts'
import { runProgram, temporaryFolder } from '../run-program.ts'
import { startCuttingProxy } from './cutting-api.ts'

const folder = temporaryFolder(t)
const data = join(folder, 'data')
const program = await startProgram({ DATA_DIR: data })
t.teardown(() => program.stop())
const { url } = JSON.parse(readFileSync(join(data, 'api.json'), 'utf8')) as { url: string }
const key = readFileSync(join(data, 'first-key'), 'utf8').trim()
const environment = { HOME: folder, DATA_DIR: join(folder, 'nothing'), WATCHKEEPER_URL: url, WATCHKEEPER_API_KEY: key }
const run = (t: Test, words: string[], over: Record<string, string> = {}) =>
  runProgram(t, ['template', ...words], { ...environment, ...over }).ended

async function asked(method: string, path: string, body?: object) {
  const sent = body === undefined ? {} : { body: JSON.stringify(body) }
  const response = await fetch(`${url}/api/v3${path}`, { method, headers: { authorization: `Bearer ${key}` }, ...sent })
  return ((await response.json()) as { result: unknown }).result
}
const [{ id: workspaceId }] = (await asked('GET', '/workspaces')) as [{ id: string }]
const root = `/workspaces/${workspaceId}`

const file = (name: string, text: string) => {
  writeFileSync(join(folder, name), text)
  return join(folder, name)
}
const busy = (version: number, more = '') => `kind: Template
key: busy
version: ${version}
name: Busy
fields:
  - {key: most, type: number, default: 8}
${more}signals:
  - {key: load, kind: event}
rules:
  - key: overloaded
    action: Look.
    wait: {confirm_after: 300, recover_after: 0}
    decision: {signal: load, field: value, operator: gt, operand: {meta: most}}
`

t.test('template publish prints only key@version, and names a refusal by file, line and dotted path', async t => {
  const one = file('one.yaml', busy(1))
  t.match(await run(t, ['publish', one]), { code: 0, stdout: 'busy@1\n', stderr: /is published/ })
  t.match(await run(t, ['publish', one]), { code: 4, stdout: '' })
  const wrong = file('wrong.yaml', busy(2).replace('operator: gt', 'operator: above'))
  t.match(await run(t, ['publish', wrong]), { code: 4, stderr: /^\S+wrong\.yaml:13: rules\.0\.decision\.operator: / })
  const nobody = file('nobody.yaml', `${busy(2)}    destination: {name: Nobody}\n`)
  t.match(await run(t, ['publish', nobody]), { code: 4, stderr: /^\S+nobody\.yaml:14: rules\.0\.destination: 'Nobody' names no/ })
  t.match(await run(t, ['publish', file('two.yaml', `${busy(2)}---\n${busy(3)}`)]), {
    code: 4,
    stderr: /it must hold one Template/,
  })
})

t.test('template preview shows the possible Incidents and stores nothing', async t => {
  const observations = [
    { signal: 'load', state: 'ok', value: 12, at: '2026-10-05T12:00:00Z' },
    { signal: 'load', state: 'ok', value: 2, at: '2026-10-05T12:10:00Z' },
  ]
  const sent = file('sent.json', JSON.stringify({ observations, meta: { most: 10 } }))
  const shown = await run(t, ['preview', file('next.yaml', busy(2)), '--observations', sent])
  t.match(shown, { code: 0, stderr: '' })
  t.match(shown.stdout, /\noverloaded +2026-10-05T12:00:00.000Z +2026-10-05T12:05:00.000Z +2026-10-05T12:10:00.000Z +load 12\n$/)
  const wrong = file('wrong.json', JSON.stringify([{ signal: 'lod', state: 'ok', at: '2026-10-05T12:00:00Z' }]))
  const refused = await run(t, ['preview', file('next.yaml', busy(2)), '--observations', wrong])
  t.match(refused, { code: 4, stderr: /^\S+wrong\.json:1: observations\.0\.signal: / })
  t.equal(((await asked('GET', `${root}/templates`)) as object[]).length, allSystemTemplates().length + 1, 'and busy@1')
})

t.test('template rebind requires --yes, counts the Incidents it closes, and continues after a failure', async t => {
  for (let i = 0; i < 30; i++) await asked('POST', `${root}/resources`, { template: 'busy@1', key: `srv-${i}`, name: `srv-${i}` })
  for (const name of ['srv-1', 'srv-2']) {
    await asked('POST', `${root}/resources/${name}/observations`, { signal: 'load', state: 'ok', value: 99 })
  }
  t.equal((await run(t, ['publish', file('two.yaml', busy(2))])).code, 0)
  const said = await run(t, ['rebind', 'busy@1', 'busy@2'])
  t.match(said, {
    code: 4,
    stdout: '',
    stderr: /^Nothing is bound yet: binding 30 Resources of busy@1 to busy@2 closes 2 open Incidents/,
  })
  const proxy = await startCuttingProxy(t, url, 10)
  const broken = await run(t, ['rebind', 'busy@1', 'busy@2', '--yes'], { WATCHKEEPER_URL: proxy })
  t.match(broken, { code: 3, stderr: /^\d+ of 30 Resources bound to busy@2 when srv-\d+ failed: .* Run it again to go on\.\n$/ })
  const again = await run(t, ['rebind', 'busy', 'busy@2', '--yes', '--json'])
  t.equal(again.code, 0, again.stderr)
  const { resources } = JSON.parse(again.stdout) as { resources: number }
  t.ok(resources >= 1 && resources <= 20, `${resources} were left`)
  t.match((await run(t, ['rebind', 'busy@1', 'busy'])).stdout, /^No Resource of busy@1 is left to bind to busy@2\.\n$/)
  t.match(await run(t, ['rebind', 'busy@1', 'none']), { code: 5 })
})
