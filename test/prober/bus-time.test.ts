// Estimate of the bus's clock: which of two measurements is used, and how the estimate changes.
import { pino } from 'pino'
import t from 'tap'
import type { Bus, ClockOffset } from '#shared/bus/port.ts'
import { limits } from '#shared/limits/limits.ts'
import { better, createBusTime } from '../../services/prober/bus-time.ts'
import { createHandClock } from '../support/hand-clock.ts'

const cases = [
  { title: 'a quicker round trip is believed', known: [10, 6, 0], newer: [8, 1, 10], wins: 8 },
  { title: 'a slower one is not, as long as it agrees', known: [8, 1, 0], newer: [10, 6, 10], wins: 8 },
  { title: 'a slower one that cannot be true beside it is: a clock was set', known: [8, 1, 0], newer: [20, 6, 10], wins: 20 },
  { title: 'an equal one is, being newer', known: [8, 1, 0], newer: [8.4, 1, 10], wins: 8.4 },
  { title: 'an old one loses worth as clocks drift', known: [8, 1, 0], newer: [9, 3, 100], wins: 9 },
] as const

const measured = ([aheadMs, roundTripMs, seconds]: readonly [number, number, number]) => ({
  aheadMs,
  roundTripMs,
  at: seconds * 1_000,
})

for (const { title, known, newer, wins } of cases) {
  t.test(title, async t => {
    t.equal(better(measured(known), measured(newer)).aheadMs, wins)
  })
}

t.test('bus time follows the measurements, and reports when a clock was set', async t => {
  const clock = createHandClock()
  const measures: ClockOffset[] = []
  const bus = { clockOffset: async () => measures.shift(), onConnection: () => () => undefined } as unknown as Bus
  const turn = async (aheadMs: number, roundTripMs: number) => {
    measures.push({ aheadMs, roundTripMs })
    clock.advance(limits.clock.measureMs)
    await new Promise(setImmediate)
  }
  measures.push({ aheadMs: 30, roundTripMs: 8 })
  const time = await createBusTime({ bus, clock, logger: pino({ level: 'silent' }) })
  let jumps = 0
  time.onJump(() => jumps++)
  const ahead = () => time.now() - clock.now()
  t.equal(ahead(), 30)
  await turn(28, 1)
  t.equal(ahead(), 28, 'a better one')
  await turn(32, 9)
  t.equal(ahead(), 28, 'a worse one')
  await turn(-6, 10)
  t.equal(ahead(), 0, 'clocks that may be equal are')
  await turn(-7, 10)
  t.equal(ahead(), -7, 'not so what cannot be')
  t.equal(jumps, 0)
  await turn(5_000, 9)
  t.strictSame([ahead(), jumps], [5_000, 1])
  time.stop()
  await turn(0, 1)
  t.equal(ahead(), 5_000, 'stopped, it measures no more')
})
