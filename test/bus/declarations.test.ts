// First declaration of streams and buckets at a cluster whose servers may not have found each other yet.
import t from 'tap'
import { declareWithRetry } from '#shared/bus/declarations.ts'
import { startTestBus } from '../support/bus/nats.ts'
import { createHandClock } from '../support/hand-clock.ts'

const patienceMs = 10_000

/** A bus that refuses declarations until the instant `comesAt`. */
function createWorld(comesAt: number) {
  const clock = createHandClock()
  const declare = async () => {
    if (clock.monotonic() < comesAt) throw new Error('timeout')
  }
  const outcome: { ended?: 'declared' | Error } = {}
  declareWithRetry(declare, clock, patienceMs).then(
    () => {
      outcome.ended = 'declared'
    },
    error => {
      outcome.ended = error
    },
  )
  const passed = async (ms: number) => {
    for (let gone = 0; gone < ms; gone += 50) {
      clock.advance(50)
      await new Promise(setImmediate)
    }
  }
  return { outcome, passed }
}

t.test('declaration is retried until the servers of a cluster have found each other', async t => {
  const { outcome, passed } = createWorld(7_000)
  await passed(6_900)
  t.strictSame(outcome, {})
  await passed(500)
  t.strictSame(outcome, { ended: 'declared' })
})

t.test('start fails with an error that names the likely causes when the bus never accepts the streams', async t => {
  const { outcome, passed } = createWorld(Number.POSITIVE_INFINITY)
  await passed(patienceMs - 100)
  t.strictSame(outcome, {})
  await passed(500)
  t.match(
    (outcome.ended as Error).message,
    /did not take its streams within 10 s \(timeout\): see .* or correct NATS_REPLICAS\.$/,
  )
})

t.test('start fails with an error that names NATS_REPLICAS when NATS_REPLICAS exceeds the number of servers', async t => {
  const server = await startTestBus()
  t.teardown(() => server.stop())
  await t.rejects(server.connect('copies', { replicas: 3, patienceMs: 300 }), {
    message: /^The bus did not take its streams within 0\.3 s .* NATS_REPLICAS\.$/,
  })
})
