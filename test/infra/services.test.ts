// Start of services whose directory runs in another process. In a cluster all processes start at once, in any order.
import { pino } from 'pino'
import { Registry } from 'prom-client'
import t from 'tap'
import { type Bus, BusError } from '#shared/bus/port.ts'
import { subjects } from '#shared/bus/subjects.ts'
import { limits } from '#shared/limits/limits.ts'
import { readAllSettings } from '../../infra/runtime/all-settings.ts'
import { decideRunMode } from '../../infra/runtime/run-mode.ts'
import { type RunningServices, startServices } from '../../infra/runtime/services.ts'
import { createWaiting } from '../../infra/runtime/waiting.ts'
import { createMemoryHub } from '../support/bus/memory-bus.ts'
import { createHandClock } from '../support/hand-clock.ts'

type Test = import('tap').Test

const settled = () => new Promise(setImmediate)
const { patienceMs } = limits.start

/** Creates a bus without streams and responders until `found` is called, as before the process with the directory starts. */
function createWorld() {
  const clock = createHandClock()
  const hub = createMemoryHub({ clock })
  const bus = hub.connect()
  const noStream = async () => {
    throw new BusError('unavailable', 'The bus refused: stream not found.')
  }
  let bare = true
  const early: Bus = {
    ...bus,
    bucket: name => (bare ? { ...bus.bucket(name), watch: noStream } : bus.bucket(name)),
    clockOffset: now => (bare ? noStream() : bus.clockOffset(now)),
  }
  return {
    clock,
    bus: early,
    found: async () => {
      bare = false
      const answer = { ok: true, result: { id: 'a-location' } }
      await hub.connect().subscribe(subjects.ask('ensure-location'), message => message.respond(answer))
    },
  }
}

/** Begins the start of a single service; `passed` advances the clock. */
function begin({ clock, bus }: ReturnType<typeof createWorld>, service: string, locationId = '') {
  const settings = readAllSettings({ SERVICES: service, NATS_URL: 'nats://127.0.0.1:4222', SQIDS_SALT: 'salt', PORT: '0' })
  const logged: { msg: string; reason?: string; advice?: string }[] = []
  const logger = pino({ level: 'warn' }, { write: (line: string) => void logged.push(JSON.parse(line)) })
  const context = { bus, clock, logger, metrics: new Registry() }
  const waiting = createWaiting(clock, logger, false)
  const address = { url: settings.NATS_URL, token: '', credentialsFile: '', ownMachine: false }
  const start = startServices(context, null, {
    settings,
    mode: decideRunMode(settings),
    version: '2.0.0',
    incidentSalt: 'salt',
    secretsKey: '',
    proberIssuer: null,
    locationId,
    processId: 'early',
    busAddress: address,
    pace: { join: () => ({ collected: () => undefined, leave: () => undefined }), stop: () => undefined },
    waiting,
  })
  const outcome: { running?: RunningServices; error?: Error } = {}
  const ended = start.then(
    running => {
      outcome.running = running
    },
    (error: Error) => {
      outcome.error = error
    },
  )
  const passed = async (ms: number) => {
    for (let left = ms; left > 0 && !outcome.running && !outcome.error; left -= 50) {
      clock.advance(50)
      for (let turn = 0; turn < 4; turn++) await settled()
    }
  }
  return { outcome, ended, passed, waiting, logged }
}

const alone: [what: string, service: string, locationId: string, why: RegExp][] = [
  ['a gateway', 'gateway', '', /stream not found/],
  ['a prober that asks for its location', 'prober', '', /The directory does not answer/],
  ['a prober that was given its location', 'prober', 'a-location', /stream not found/],
  ['a prober beside a gateway', 'prober,gateway', 'a-location', /stream not found/],
]

t.test('service that starts before the directory waits for it, and says so', async t => {
  for (const [what, service, locationId, why] of alone) {
    await t.test(`${what} waits for the directory`, t => waitFor(t, service, locationId, why))
  }
})

async function waitFor(t: Test, service: string, locationId: string, why: RegExp): Promise<void> {
  const world = createWorld()
  const { outcome, passed, ended, waiting, logged } = begin(world, service, locationId)
  await passed(2 * patienceMs)
  t.strictSame(outcome, {}, 'it still waits')
  t.same(waiting.reasons(), ['It waits for a directory.'])
  const { reason, advice } = logged.findLast(({ msg }) => msg === 'start waits') ?? {}
  t.match(reason, why)
  t.equal(advice, 'Start a directory on the same bus, or correct NATS_URL.')
  await world.found()
  await passed(patienceMs)
  // The gateway listens on a real socket, so its start ends when the operating system has opened the socket.
  if (service.includes('gateway')) await ended
  t.equal(outcome.error, undefined)
  t.ok(outcome.running)
  const stopped = outcome.running?.stop()
  for (let turn = 0; turn < 200; turn++) {
    world.clock.advance(10)
    await settled()
  }
  await stopped
}
