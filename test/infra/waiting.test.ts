// Waits of a start for the store: what is said when, and which errors end it.
import { MongoServerError } from 'mongodb'
import { pino } from 'pino'
import t from 'tap'
import { limits, second } from '#shared/limits/limits.ts'
import { storeErrorOf } from '#shared/store/mongodb/mongodb-errors.ts'
import { StoreError } from '#shared/store/port.ts'
import { StartError } from '../../infra/runtime/start-error.ts'
import { createWaiting } from '../../infra/runtime/waiting.ts'
import { createVirtualClock } from '../support/virtual-clock.ts'

function stage(isShared = true) {
  const clock = createVirtualClock()
  const log: string[] = []
  const logger = pino({ level: 'info' }, { write: line => void log.push(line) })
  return { clock, log, waiting: createWaiting(clock, logger, isShared) }
}

t.test('start waits for a shared store without an end, and says so after 3 s and each 10 s', async t => {
  const { clock, log, waiting } = stage()
  let isAway = true
  const step = waiting.storeStep(async () => {
    if (isAway) throw new StoreError('unavailable', 'no primary')
    return 'done'
  })
  await clock.advance(limits.start.waitSaidMs - 1)
  t.same([waiting.reasons(), log], [[], []])
  await clock.advance(60 * second)
  t.same(waiting.reasons(), ['It waits for the store.'])
  t.equal(log.filter(line => line.includes('start waits')).length, 6)
  t.match(log[0], /"reason":"no primary"/)
  isAway = false
  await clock.advance(limits.keeper.retryMsMax)
  t.equal(await step, 'done')
  t.same(waiting.reasons(), [])
  t.match(log.at(-1), /start goes on/)
})

t.test('a hanging attempt is said, too', async t => {
  const { clock, waiting } = stage()
  const { promise, resolve } = Promise.withResolvers<void>()
  const step = waiting.storeStep(() => promise)
  await clock.advance(limits.start.waitSaidMs)
  t.same(waiting.reasons(), ['It waits for the store.'])
  resolve()
  await step
  t.same(waiting.reasons(), [])
})

t.test('refused password, and any error of the embedded store, end a start at once', async t => {
  const refused = storeErrorOf(new MongoServerError({ message: 'Authentication failed.', code: 18 }))
  const fails = (error: StoreError) => async () => Promise.reject(error)
  await t.rejects(stage().waiting.storeStep(fails(refused)), StartError)
  await t.rejects(stage(false).waiting.storeStep(fails(new StoreError('unavailable', 'the disk is full'))), StartError)
})
