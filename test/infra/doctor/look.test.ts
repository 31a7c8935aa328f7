// The doctor on real installations: one process with its own bus and store, running, killed and stopped; and a bus of three NATS servers with
// a store that speaks MongoDB's protocol.
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { keys } from '#shared/bus/subjects.ts'
import { createLogger } from '#shared/observability/logger.ts'
import { openStore } from '#shared/store/open-store.ts'
import { createSystemClock } from '#shared/time/clock.ts'
import { makeBusCertificate } from '../../../infra/cluster/cluster-secrets.ts'
import { examine, type NamedFinding } from '../../../infra/doctor/examine.ts'
import { look } from '../../../infra/doctor/look/look.ts'
import { startTestCluster } from '../../support/bus/nats-cluster.ts'
import { freePort } from '../../support/free-ports.ts'
import { sharedMongodb } from '../../support/store/secantus.ts'
import { eventually, runProgram, temporaryFolder } from '../run-program.ts'

const clock = createSystemClock()
t.teardown(() => clock.stop())

/** Returns the findings that are worse than `well`, as `standing check`, and all findings by check. */
async function examined(environment: Record<string, string>) {
  const findings = examine(await look({ environment, version: '2.0.0', clock }), environment)
  const wrong = findings.filter(({ standing }) => standing === 'fault' || standing === 'warning')
  const of = (check: string): NamedFinding[] => findings.filter(finding => finding.check === check)
  return { wrong: wrong.map(({ standing, check }) => `${standing} ${check}`), of, text: JSON.stringify(findings) }
}

t.test('doctor examines an installation in one process while it runs, after kill -9 and after a stop', async t => {
  const folder = join(temporaryFolder(t), 'data')
  const environment = { DATA_DIR: folder, OPS_PORT: String(await freePort()), PORT: '0' }
  const doctor = async () => {
    const { code, stdout, stderr } = await runProgram(t, ['doctor', '--json'], environment).ended
    return { code, stderr, findings: JSON.parse(stdout).findings as NamedFinding[] }
  }
  const said = (findings: NamedFinding[], check: string) => findings.find(finding => finding.check === check)

  await t.test('before the first start', async t => {
    const { code, findings } = await doctor()
    t.equal(code, 0)
    t.match(said(findings, 'store'), { standing: 'well', what: /^There is no store yet/ })
    t.throws(() => statSync(folder), 'the folder is not made')
  })

  const main = runProgram(t, ['start'], environment)
  await main.says(/readiness and metrics/)
  await t.test('while it runs', async t => {
    const { code, findings, stderr } = await doctor()
    t.equal(code, 0, stderr)
    t.strictSame(
      findings.filter(({ standing }) => standing !== 'well'),
      [],
    )
    t.match(said(findings, 'streams'), { what: /^All 7 are there, in 1 copy each\.$/ })
    t.match(said(findings, 'versions'), { what: /^Present: 1 gateway, 1 keeper, 1 prober;/ })
  })

  await t.test('after kill -9: nothing is called running', async t => {
    main.child.kill('SIGKILL')
    await main.ended
    const { findings } = await doctor()
    t.match(said(findings, 'process'), { standing: 'unknown' })
    t.match(said(findings, 'store'), { standing: 'well', what: /is whole\.$/ })
  })

  await t.test('after a stop: nothing in the folder changes, and a lost store is a fault', async t => {
    const again = runProgram(t, ['start'], environment)
    await again.says(/readiness and metrics/)
    again.child.kill('SIGTERM')
    await again.ended
    const before = digest(folder)
    const { code, findings } = await doctor()
    t.equal(code, 0)
    t.match(said(findings, 'indexes'), { standing: 'well' })
    t.match(said(findings, 'level'), { standing: 'well' })
    t.strictSame(digest(folder), before)
    writeFileSync(join(folder, 'watchkeeper.db'), '')
    const lost = await doctor()
    t.match(lost, { code: 1, stderr: '1 fault: begin with the first.\n' })
    t.match(lost.findings[0], { check: 'store', standing: 'fault', what: /is missing or empty/ })
  })

  await t.test('with an invalid setting', async t => {
    const { code, stdout, stderr } = await runProgram(t, ['doctor'], { ...environment, PORT: 'x' }).ended
    t.match({ code, stderr }, { code: 1, stderr: '1 fault: begin with the first.\n' })
    t.match(stdout, /^FAULT {4}settings: PORT must be a whole number/)
    t.match(stdout, /^ {9}Why it matters: .+\n {9}What to do: /m)
  })
})

t.test('doctor examines three NATS servers and a MongoDB', async t => {
  const url = await sharedMongodb(t)
  if (url === null) return t.comment('no MongoDB to talk to')
  const cluster = await startTestCluster()
  t.teardown(() => cluster.stop())
  // Until the servers have elected one, JetStream answers nobody.
  await eventually('the servers have a leader', async () => (await cluster.leaderOf('meta')) !== null)
  const environment = {
    NATS_URL: cluster.url,
    MONGODB_URL: url,
    NATS_REPLICAS: '3',
    SERVICES: 'directory,keeper,notifier',
    SECRETS_KEY: 'A'.repeat(43),
    OPS_PORT: '0',
    DATA_DIR: temporaryFolder(t),
  }
  const secrets = /cluster-of-a-test/
  /** The store of the test calls itself a replica set. */
  const oneMember = { standing: 'warning', what: /^The replica set has 1 of 3 members\.$/ }

  await t.test('an empty bus and a new store are warned of, and stay as they are', async t => {
    for (const _ of [1, 2]) {
      const { of, text } = await examined(environment)
      t.match(of('streams'), [{ standing: 'warning', what: /no stream of Watchkeeper yet/ }])
      t.strictSame(of('level'), [], 'no migration marks the store as used')
      t.match(of('store'), [oneMember], text)
      t.notMatch(text, secrets)
    }
  })

  const bus = await cluster.connect('a service')
  const store = await openStore({ mongodbUrl: url, dataFolder: '', logger: createLogger('silent') })
  t.teardown(() => store.close())
  await store.insert('settings', [{ id: 'installation', rev: 1, value: 'one' }])
  await bus.bucket('installation').put(keys.installation, { id: 'one', commits: null })
  await bus.bucket('presence').put(keys.proberPresence('aaaa', 'p1'), { version: '1.9.0', knows: 4 })
  await cluster.whole()

  await t.test('everything is well but for an older prober and an upgrade that is not finished', async t => {
    const { wrong, of, text } = await examined(environment)
    t.strictSame(wrong, ['warning store', 'warning level', 'warning versions'], text)
    t.match(of('level'), [{ what: /^The store has the number 3 of \d+\.$/, remedy: /finish-upgrade/ }])
    t.match(of('store'), [oneMember])
    t.match(of('versions'), [{ what: /1 of an older version than 2\.0\.0: prober aaaa\/p1 \(1\.9\.0\)\.$/ }])
    t.match(of('clocks'), [{ standing: 'well', what: /of the bus\. Within \d+ ms of the store\.$/ }])
    t.match(of('indexes'), [{ standing: 'well' }])
    t.match(of('speed'), [{ what: /^A guarded write to the store takes/ }])
    t.notMatch(text, secrets)
  })

  await t.test('an examination leaves no consumer, no entry and no collection behind', async t => {
    const before = await remains()
    await examined(environment)
    t.strictSame(await remains(), before)
  })
  async function remains() {
    const entries = await Promise.all((['leases', 'presence', 'installation'] as const).map(name => bus.bucket(name).list('>')))
    return { entries, settings: await store.find('settings', { limit: 10 }) }
  }

  await t.test('a bus of another installation is a fault', async t => {
    await bus.bucket('installation').put(keys.installation, { id: 'two', commits: null })
    const { of } = await examined(environment)
    t.match(of('store'), [{ standing: 'fault', what: /installation one, but the bus is that of two\.$/ }])
    await bus.bucket('installation').put(keys.installation, { id: 'one', commits: null })
  })

  await t.test('another number of copies is a fault', async t => {
    const { of } = await examined({ ...environment, NATS_REPLICAS: '2' })
    t.match(of('streams'), [{ standing: 'fault', what: /: 3 instead of 2 copies\.$/ }])
  })

  await t.test('a dead server is a fault, and the sentence says which one', async t => {
    await cluster.kill(1)
    const { wrong, of, text } = await examined(environment)
    t.match(of('bus'), [
      { standing: 'fault', what: /^1 server of the bus can't be used: 127\.0\.0\.1:\d+ \(nothing listens there\)\.$/ },
    ])
    t.ok(wrong.includes('fault bus'))
    t.notMatch(text, secrets)
  })

  await t.test('an empty server of the same name takes the place of a lost one', async t => {
    await cluster.wipe(1)
    await cluster.start(1)
    await cluster.whole()
    const { of, text } = await examined(environment)
    t.match(of('bus'), [{ standing: 'well' }], text)
    t.match(of('streams'), [{ standing: 'well', what: /^All 7 are there, in 3 copies each\.$/ }], text)
  })

  await t.test('a wrong password and a wrong store are said without the password', async t => {
    const wrong = {
      ...environment,
      NATS_URL: cluster.urlOf(0).replace('cluster-of-a-test', 'wrong-password'),
      MONGODB_URL: `mongodb://me:wrong-password@127.0.0.1:${await freePort()}/x`,
    }
    const { of, text } = await examined(wrong)
    t.match(of('bus'), [{ standing: 'fault', what: /\(it refuses the credentials\)\.$/ }])
    t.match(of('store'), [{ standing: 'fault', what: /^MongoDB can't be used: / }])
    t.notMatch(text, /wrong-password/)
  })
})

t.test('doctor reads the days of certificates from files and from servers', async t => {
  const folder = temporaryFolder(t)
  const made = makeBusCertificate(clock.now() - 815 * 86_400_000, ['localhost'])
  for (const [name, text] of made) writeFileSync(join(folder, name), text)
  const port = await freePort()
  const listener = { NATS_TLS_CERT: join(folder, 'bus.pem'), NATS_TLS_KEY: join(folder, 'bus.key'), NATS_LISTEN: '127.0.0.1' }
  const main = { DATA_DIR: join(folder, 'data'), NATS_PORT: String(port), ...listener }
  const program = runProgram(t, ['start'], main)
  await program.says(/readiness and metrics/)
  const soon = /^The certificate of .+ ends in 9 days/
  const own = await examined({ ...main, OPS_PORT: '0' })
  t.match(own.of('certificates'), [{ standing: 'warning', what: soon }], own.text)
  const elsewhere = await examined({
    SERVICES: 'prober',
    LOCATION_ID: 'aaaa',
    OPS_PORT: '0',
    NATS_URL: `tls://localhost:${port}`,
    NATS_CA_FILE: join(folder, 'ca.pem'),
    NATS_CREDENTIALS: join(folder, 'data', 'bus', 'house.creds'),
  })
  t.match(
    elsewhere.of('certificates'),
    [{ standing: 'warning', what: new RegExp(`localhost:${port} ends in 9 days`) }],
    elsewhere.text,
  )
  t.match(elsewhere.of('bus'), [{ standing: 'well', what: /door of its location/ }])
  const stranger = await examined({ SERVICES: 'prober', LOCATION_ID: 'aaaa', OPS_PORT: '0', NATS_URL: `tls://localhost:${port}` })
  t.match(stranger.of('bus'), [{ standing: 'fault', what: /its certificate is not trusted/ }])
})

/** Returns the digests of all files below a folder, by path. */
function digest(folder: string): Record<string, string> {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter(entry => entry.isFile())
  return Object.fromEntries(
    files.map(({ parentPath, name }) => {
      const path = join(parentPath, name)
      return [path, createHash('sha256').update(readFileSync(path)).digest('hex')]
    }),
  )
}
