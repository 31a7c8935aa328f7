// Change of the key with which secrets of checks are sealed. All programs are real processes.
import { readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import t from 'tap'
import { createSeals, newSealingKey } from '#shared/secrecy/seals.ts'
import { runProgram, temporaryFolder } from '../run-program.ts'

t.test('secrets read as before with another key, and a start with a strange key says so and takes no secrets', async t => {
  const dataFolder = join(temporaryFolder(t), 'data')
  const keyFile = join(dataFolder, 'secrets.key')
  const site = createServer((request, response) => {
    response.writeHead(request.headers.authorization === 'Bearer open-sesame' ? 200 : 401).end()
  })
  await new Promise<void>(resolve => site.listen(0, '127.0.0.1', resolve))
  t.teardown(() => {
    site.closeAllConnections()
    site.close()
  })
  const url = `http://127.0.0.1:${(site.address() as AddressInfo).port}/`

  // biome-ignore lint/suspicious/noExplicitAny: results of many routes
  type Call = (path: string, body?: object) => Promise<any>
  /** Starts the program, runs `work` with its API and its log, and stops the program. */
  const running = async (work: (call: Call, log: string) => Promise<void>) => {
    const program = runProgram(t, ['start'], { DATA_DIR: dataFolder })
    const [, address = ''] = await program.says(/listens on (http:\S+?);/)
    const key = readFileSync(join(dataFolder, 'first-key'), 'utf8').trim()
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
    const call: Call = async (path, body) => {
      const sent = body === undefined ? { headers } : { method: 'POST', headers, body: JSON.stringify(body) }
      const response = await fetch(`${address}/api/v3${path}`, sent)
      return { status: response.status, ...((await response.json()) as object) }
    }
    await work(call, program.stderr())
    program.child.kill('SIGTERM')
    await program.ended
  }
  const command = (...args: string[]) => runProgram(t, args, { DATA_DIR: dataFolder }).ended

  let resources = ''
  let template = ''
  let locations: string[] = []
  const isOpened = async (call: Call) => {
    const asked = { template, meta: {}, resource: 'site', signal: 'reachability' }
    const tried = await call(resources.replace('/resources', '/checks/try'), asked)
    return tried.result?.[0]?.outcome
  }
  await running(async call => {
    const [{ id: workspace }] = (await call('/workspaces')).result
    const [{ id: location }] = (await call('/locations')).result
    resources = `/workspaces/${workspace}/resources`
    template = (await call('/checks')).result[0].template
    locations = [location]
    const meta = { url, bearer: 'open-sesame', locations }
    t.match(await call(resources, { template, key: 'site', name: 'Site', meta }), { status: 201 })
    t.equal(await isOpened(call), 'passed')
  })
  const old = readFileSync(keyFile, 'utf8').trim()
  const next = newSealingKey()
  const nameOf = (key: string) => createSeals(key)?.keyId

  writeFileSync(keyFile, `${next},${old}\n`)
  await running(async call => {
    t.equal(await isOpened(call), 'passed', 'each key opens')
    t.match(await command('secrets', 'rotate'), {
      code: 0,
      stdout: `1 secret is sealed anew, with the key ${nameOf(next)}.\nThe old keys may go: take them out of SECRETS_KEY or the file secrets.key, and restart every process.\n`,
    })
    const again = await command('secrets', 'rotate', '--json')
    t.strictSame(JSON.parse(again.stdout), { key: nameOf(next), resealed: 0, failed: [], lost: [], old_keys_may_go: true })
  })

  writeFileSync(keyFile, `${next}\n`)
  await running(async call => {
    t.equal(await isOpened(call), 'passed', 'without the old key')
  })

  writeFileSync(keyFile, `${old}\n`)
  await running(async (call, log) => {
    t.match(log, /sealed with a key, and the one here is another/)
    const meta = { url, bearer: 'more', locations }
    const refused = { status: 422, error: { details: { field: 'bearer' } } }
    t.match(await call(resources, { template, key: 'other', name: 'Other', meta }), refused)
    t.not(await isOpened(call), 'passed')
  })
})
