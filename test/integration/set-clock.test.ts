// The real program on a machine whose clock is set while it runs, under libfaketime. Without that library, the test is skipped.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { hour, second } from '#shared/limits/limits.ts'
import { temporaryFolder } from '../infra/run-program.ts'
import { fakeClockLibrary, fakeClockSettings } from '../support/fake-clock.ts'
import { startProgram } from './system.ts'

const skip = fakeClockLibrary === null ? 'libfaketime is not installed' : false

t.test('program follows a clock that is set forward and back while it runs', { skip, timeout: 240_000 }, async t => {
  const folder = temporaryFolder(t)
  const file = join(folder, 'offset')
  /** Time by which the machine's clock differs from the real one, ms. */
  let offsetMs = 0
  const setClock = (ms: number) => {
    offsetMs = ms
    writeFileSync(file, `${ms < 0 ? '-' : '+'}${Math.abs(ms) / second}s`)
  }
  setClock(0)
  const program = await startProgram({ DATA_DIR: join(folder, 'data'), ...fakeClockSettings(file) })
  t.teardown(() => program.stop())
  const { url } = JSON.parse(readFileSync(join(folder, 'data', 'api.json'), 'utf8')) as { url: string }
  const key = readFileSync(join(folder, 'data', 'first-key'), 'utf8').trim()
  const call = async (method: string, path: string, body?: object) => {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
    const init = body === undefined ? {} : { body: JSON.stringify(body) }
    const response = await fetch(`${url}/api/v3${path}`, { method, headers, ...init })
    return { status: response.status, json: (await response.json()) as { result: never; error: unknown } }
  }
  const [workspace] = (await call('GET', '/workspaces')).json.result as { id: string }[]
  const root = `/workspaces/${workspace?.id}`
  const rule = {
    ...{ key: 'down', action: 'Look.', wait: { confirm_after: 0, recover_after: 0 } },
    decision: { signal: 'probe', field: 'status', operator: 'eq', operand: 'problem' },
  }
  const manifest = { key: 'host', version: 1, name: 'Host', signals: [{ key: 'probe', kind: 'event' }], rules: [rule] }
  t.equal((await call('POST', `${root}/templates`, manifest)).status, 201)
  t.equal((await call('POST', `${root}/resources`, { template: 'host', key: 'one', name: 'One' })).status, 201)
  const statusOf = async () => {
    const { rules } = (await call('GET', `${root}/resources/one`)).json.result as { rules: { status: string; since: string }[] }
    return rules[0]
  }
  const now = () => Math.floor(performance.timeOrigin + performance.now()) + offsetMs
  /** Reports with the instant that the machine's clock shows, `aheadMs` later. */
  const report = async (state: string, aheadMs = 0) => {
    const at = new Date(now() + aheadMs).toISOString()
    return (await call('POST', `${root}/resources/one/observations`, { signal: 'probe', state, at })).status
  }
  t.equal(await report('ok'), 202)
  for (const ms of [hour, 0, 2 * hour]) {
    setClock(ms)
    t.equal(await report('problem'), 202, `${ms / hour} h: a report with the right instant is accepted`)
    const problem = await statusOf()
    t.equal(problem?.status, 'problem', 'and counts')
    t.equal(await report('ok', 3 * 60 * second), 422, 'and one from the future is refused')
    t.equal(await report('ok', second), 202)
    const ok = await statusOf()
    t.equal(ok?.status, 'ok')
    t.ok((ok?.since ?? '') >= (problem?.since ?? ''), 'instants do not run backwards')
    if (ms > 0) t.ok(Math.abs(Date.parse(problem?.since ?? '') - now()) < 60 * second, 'and are the right ones')
  }
  t.match(program.output(), /clock and wall time differ/)
})
