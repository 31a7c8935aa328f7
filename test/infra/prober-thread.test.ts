// Thread of the prober on a real bus with a real website. It checks like an inline prober, has the same metrics, and ends completely.
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Worker } from 'node:worker_threads'
import t from 'tap'
import { keys, parseObservation } from '#shared/bus/subjects.ts'
import type { CheckResult } from '#shared/contracts/observations/check.ts'
import { partitionOf } from '#shared/text/hash.ts'
import { createSystemClock } from '#shared/time/clock.ts'
import type { CollectorPace } from '../../infra/runtime/collector-pace.ts'
import { startProberThread } from '../../infra/runtime/prober/thread.ts'
import { startTestBus } from '../support/bus/nats.ts'
import { checkEntry } from '../support/checks.ts'

const clock = createSystemClock()
t.teardown(() => clock.stop())
const locationId = 'loc1'
const subjectIds = ['subject001', 'subject002', 'subject003']

/** Counts how often a thread joins and leaves the shared control of garbage collections. */
function countedPace() {
  const counted = { joined: 0, left: 0 }
  const pace: CollectorPace = {
    join: () => {
      counted.joined++
      return { collected: () => undefined, leave: () => void counted.left++ }
    },
    stop: () => undefined,
  }
  return { pace, counted }
}

const prober = { locationId, proberId: 'threaded', version: '2.0.0', serviceUrl: 'http://us' }

t.test('checks of a thread are reported and counted, and stop with the thread', async t => {
  const bus = await startTestBus()
  t.teardown(() => bus.stop())
  const house = await bus.connect('house', { declare: true })
  const site = createServer((_request, response) => response.end('fine')).listen(0, '127.0.0.1')
  await once(site, 'listening')
  t.teardown(() => site.close())
  const url = `http://127.0.0.1:${(site.address() as AddressInfo).port}/`
  const entry = checkEntry({ url, contentType: '', intervalMs: 1_000 })
  for (const id of subjectIds) await house.bucket('checks').put(keys.check(locationId, id), entry)

  const seen = new Map<string, CheckResult[]>()
  const { promise: allTwice, resolve } = Promise.withResolvers<void>()
  for (const id of subjectIds) {
    await house.observations.open({
      partition: partitionOf(id),
      from: { sequence: 1 },
      onBroken: () => undefined,
      onMessage: ({ subject, body }) => {
        const { subjectId } = parseObservation(subject, body) as { subjectId: string }
        seen.set(subjectId, [...(seen.get(subjectId) ?? []), body as CheckResult])
        if (seen.size === subjectIds.length && [...seen.values()].every(results => results.length > 1)) resolve()
        return true
      },
    })
  }
  const { pace, counted } = countedPace()
  const address = { url: bus.url, token: bus.token, credentialsFile: '', ownMachine: true }
  const data = { logLevel: 'silent', bus: address, prober, egress: { deny: [], allow: [], own: [] } }
  const thread = await startProberThread(data, { clock, pace })
  t.strictSame(thread.unready(), [])
  await allTwice
  t.ok([...seen.values()].flat().every(({ ok }) => ok))
  const present = await house.bucket('presence').list('>')
  t.ok(present.some(({ key }) => key === keys.proberPresence(locationId, 'threaded')))
  const names = (await thread.metrics()).map(({ name }) => name)
  t.ok(names.includes('watchkeeper_prober_checks_total'))

  await thread.stop()
  t.strictSame(await house.bucket('presence').list('>'), [], 'it has said that it leaves')
  t.match(await thread.ended, /ended/)
  t.ok((await thread.metrics()).length > 0, 'its last figures stay')
  t.strictSame(counted, { joined: 1, left: 1 })
})

t.test('metrics keep their last read values after the thread has died', async t => {
  const bus = await startTestBus()
  t.teardown(() => bus.stop())
  await bus.connect('house', { declare: true })
  const { promise: worker, resolve } = Promise.withResolvers<Worker>()
  process.once('worker', resolve)
  const address = { url: bus.url, token: bus.token, credentialsFile: '', ownMachine: true }
  const data = { logLevel: 'silent', bus: address, prober, egress: { deny: [], allow: [], own: [] } }
  const thread = await startProberThread(data, { clock, pace: countedPace().pace })
  const read = await thread.metrics()
  await (await worker).terminate()
  t.match(await thread.ended, /ended/)
  t.ok(read.length > 0)
  t.strictSame(await thread.metrics(), read)
})

t.test('start of a thread that cannot work fails, and the thread ends', async t => {
  const bus = await startTestBus()
  t.teardown(() => bus.stop())
  await bus.connect('house', { declare: true })
  const { pace, counted } = countedPace()
  const address = { url: bus.url, token: 'wrong', credentialsFile: '', ownMachine: true }
  const data = { logLevel: 'silent', bus: address, prober, egress: { deny: [], allow: [], own: [] } }
  await t.rejects(startProberThread(data, { clock, pace }), { message: /the thread of the prober/ })
  t.strictSame(counted, { joined: 1, left: 1 })
})
