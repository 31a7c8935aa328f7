// An attacker with one prober's credential against a whole installation: reports of another location continue, and the installation is
// healthy afterwards. The suite attacks for some seconds and asserts no delay. `ATTACK_SECONDS=60` attacks longer and asserts that no delay
// exceeds a second; `ATTACK_FULL=1` gives the attacker normal priority.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { AckPolicy, jetstreamManager } from '@nats-io/jetstream'
import t from 'tap'
import { createDirectoryClient } from '#shared/bus/clients/clients.ts'
import { createSystemClock } from '#shared/time/clock.ts'
import { eventually } from '../infra/run-program.ts'
import { type AttackOptions, startAttack } from './attack/attack.ts'
import * as stage from './attack/installation.ts'
import { type Program, startProgram } from './system.ts'

const attackSeconds = Number(process.env['ATTACK_SECONDS'] ?? 6)
/** Delays are asserted only for long attacks: a short attack on a busy machine proves nothing about delays. */
const judgesDelays = attackSeconds >= 30
const clock = createSystemClock()
t.teardown(() => clock.stop())

t.test('attacker with one credential', { timeout: 400_000 + 2_000 * attackSeconds }, async t => {
  const installation = await stage.startInstallation(t)
  const { dataFolder, settings, main, house, port } = installation
  const attacker = await stage.credentialFor(installation, clock, 'hamburg')
  const victim = await stage.credentialFor(installation, clock, 'berlin')
  const prober = await startProgram({ SERVICES: 'prober', NATS_URL: `nats://127.0.0.1:${port}`, NATS_CREDENTIALS: victim.file })
  t.teardown(() => prober.kill())
  const reports = await stage.followReports(house, victim.locationId)
  const changes = await stage.followChanges(house)
  const website = await stage.watchWebsite(t, house, clock, [attacker.locationId, victim.locationId])
  const attack = (options: Pick<AttackOptions, 'seconds' | 'attacks'>) => {
    const started = startAttack({ port, credentialsFile: attacker.file, ...options })
    t.teardown(started.stop)
    return started
  }

  await t.test('attacker prevents no report from another location, and the monitors of that location are judged', async t => {
    await eventually('reports come', () => reports.length >= 3 * stage.monitors)
    const saidBefore = complaints(main).length
    const startedAt = Date.now()
    const calm = worstOf(reports, changes, 0, startedAt)
    const sent = await attack({ seconds: attackSeconds }).ended
    const endedAt = Date.now()
    const checked = website.hits()
    const worst = worstOf(reports, changes, startedAt, endedAt)
    t.comment(`sent in ${attackSeconds} s: ${JSON.stringify(sent)}`)
    t.comment(
      `resident memory at most, MB: nats-server ${memoryOf(natsServerOf(dataFolder))}, installation ${memoryOf(main.pid)}`,
    )
    t.comment(`calm: ${JSON.stringify(calm)}, attacked: ${JSON.stringify(worst)}`)
    t.ok(worst.reports > 0, 'reports arrived while it went on')
    await eventually('each check until its end was reported', () => reports.length >= checked)
    // During a long attack, other probers of the attacker's location count as silent too.
    await eventually('each monitor was judged since its begin', () => subjectsSince(changes, startedAt) >= stage.judgedMonitors)
    await eventually('each monitor is reported after its end', () => subjectsSince(reports, endedAt) === stage.monitors)
    if (judgesDelays) {
      t.ok(worst.reportMs < 1_000 + calm.reportMs, `a report was in the stream after ${worst.reportMs} ms at most`)
      t.ok(worst.changeMs < 1_000 + calm.changeMs, `a report was judged after ${worst.changeMs} ms at most`)
    }
    const said = complaints(main).slice(saidBefore)
    t.ok(said.length < 100 + attackSeconds, `${said.length} lines of the log:\n${said.slice(0, 150).join('\n')}`)
    t.ok(said.join('\n').length < 1_000 * (100 + attackSeconds))
  })

  await t.test('installation restarts after an attack', async t => {
    const keys = (await house.bucket('presence').list('prober.>')).map(({ key }) => key)
    t.ok(keys.length < 500, `${keys.length} presences`)
    t.equal(await main.stop(), 0)
    const again = await startProgram(settings)
    installation.main = again
    const startedAt = Date.now()
    await eventually('it is ready', async () => (await fetch(stage.readyUrl(again))).status === 200)
    await eventually('each monitor is reported', () => subjectsSince(reports, startedAt) === stage.monitors)
  })
  t.teardown(() => installation.main.kill())

  await t.test('revocation of a credential disconnects the attacker, but no prober of the other location', async t => {
    const running = attack({ seconds: 600, attacks: ['idle connections', 'reports'] })
    await running.entered
    const { ask } = createDirectoryClient(house, clock)
    await eventually('it is revoked', async () => {
      const revoked = await ask('delete-prober-credential', { credentialId: attacker.id }).catch(() => null)
      return revoked?.revokedAt != null
    })
    t.equal(await stage.admission(installation, attacker), 'refused')
    t.equal(await stage.admission(installation, victim), 'in')
    running.stop()
    const counts = await running.ended
    // A server that closes a connection which is being written to may lose its last word; then the attacker hears of it at its next try.
    t.ok(counts['User Authentication Revoked'] ?? counts['Authorization Violation'], JSON.stringify(counts))
  })
})

t.test(
  'installation is ready after a restart when probers hold the largest number of consumers of its buckets',
  { timeout: 300_000 },
  async t => {
    const { settings, main, house, bare } = await stage.startInstallation(t)
    const connection = await bare()
    const manager = await jetstreamManager(connection)
    /** True if the server refused because the stream has the maximum number of consumers. */
    const isFull = (outcome: PromiseSettledResult<unknown>) => outcome.status === 'rejected' && outcome.reason?.code === 10_026
    for (const [stream, filter] of [
      ['KV_checks', '$KV.checks.abcd.>'],
      ['KV_presence', '$KV.presence.prober.abcd.*'],
    ] as const) {
      const make = (n: number) =>
        manager.consumers.add(stream, { durable_name: `evil${n}`, filter_subject: filter, ack_policy: AckPolicy.Explicit })
      let full = false
      for (let made = 0; !full && made < 5_000; made += 50) {
        full = (await Promise.allSettled(Array.from({ length: 50 }, (_, n) => make(made + n)))).some(isFull)
      }
      t.ok(full, `${stream} takes no more`)
    }
    await connection.close()
    await house.close()
    await main.kill()
    const startedAt = performance.now()
    const again = await startProgram(settings)
    t.teardown(() => again.kill())
    t.comment(`started in ${Math.round(performance.now() - startedAt)} ms`)
    await eventually('it is ready', async () => (await fetch(stage.readyUrl(again))).status === 200)
    t.match(again.output(), /"removed":\d{4}.*consumers removed from the bus that no process of ours made/)
  },
)

/** Returns the longest delays of reports and of changes between two instants, and the numbers of reports and changes. */
function worstOf(reports: readonly stage.Seen[], changes: readonly stage.Seen[], from: number, to: number) {
  const within = (all: readonly stage.Seen[]) =>
    all.filter(({ seenAt }) => seenAt >= from && seenAt < to).map(({ delayMs }) => delayMs)
  const [reported, changed] = [within(reports), within(changes)]
  return {
    reports: reported.length,
    reportMs: Math.max(0, ...reported),
    changes: changed.length,
    changeMs: Math.max(0, ...changed),
  }
}

const subjectsSince = (all: readonly stage.Seen[], since: number): number =>
  new Set(all.filter(({ at }) => at > since).map(({ subjectId }) => subjectId)).size

/** Returns the process id of the nats-server. The file has three ids, of starter, guard and server, and the server's id is the last. */
const natsServerOf = (dataFolder: string): number =>
  Number(
    readFileSync(join(dataFolder, 'bus', 'nats-server.pid'), 'utf8')
      .trim()
      .split(' ')[2],
  )

/** Returns the peak resident memory of a process, MB. */
const memoryOf = (pid: number): number =>
  Math.round(Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1_024)

/** Returns the log lines of level warn and above. */
const complaints = (program: Program): string[] =>
  program
    .output()
    .split('\n')
    .filter(line => /"level":"(warn|error|fatal)"/.test(line))
