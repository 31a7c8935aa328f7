// Whether a reader counts as receiving. In a cluster, its copy of the stream must show within 2 s what the leader had (ADR 24).
import t from 'tap'
import { Hearing } from '#shared/bus/nats/nats-hearing.ts'
import { second } from '#shared/limits/limits.ts'
import { createHandClock } from '../support/hand-clock.ts'

const half = second / 2

/** Reader with a consumer, whose leader had this sequence when the consumer was created. `told`: what its listener was told since. */
function reading(sequence: number | null = 10) {
  const clock = createHandClock()
  const told: string[] = []
  const hearing = new Hearing(clock, {
    onDeaf: forMs => void told.push(`deaf for ${forMs}`),
    onHearing: () => void told.push('hears'),
  })
  hearing.found(0, sequence)
  /** Lets time pass in steps of half a second, with the leader at `leader` and a heartbeat that names `copy` in each; null: neither. */
  const pass = (ms: number, leader: number | null, copy: number | null) => {
    const behind: boolean[] = []
    for (let passed = 0; passed < ms; passed += half) {
      clock.advance(half)
      hearing.sign()
      if (copy !== null) hearing.has(copy)
      if (leader !== null) hearing.led(leader)
      behind.push(hearing.isBehind(false))
    }
    return behind.includes(true)
  }
  return { clock, told, hearing, pass }
}

t.test('reader hears while each heartbeat shows what the leader had half a second before', async t => {
  const { told, pass } = reading()
  for (let sequence = 10; sequence < 100; sequence++) t.notOk(pass(half, sequence + 1, sequence))
  t.strictSame(told, [])
})

t.test('reader is deaf from the last proof on when its copy has not shown for 2 s what the leader had', async t => {
  const { told, pass } = reading()
  pass(second, 10, 10)
  t.notOk(pass(2 * second + half, 11, 10))
  t.strictSame(told, [], 'not before')
  t.ok(pass(half, 11, 10), 'it should get another copy')
  t.strictSame(told, [`deaf for ${3 * second}`])
  pass(second, 12, 10)
  pass(half, 12, 11)
  t.equal(told.length, 1, 'what the leader had at first is not enough any more')
  pass(half, 12, 12)
  t.strictSame(told.slice(1), ['hears'])
})

t.test('reader keeps a copy that is behind while it delivers messages, and is deaf meanwhile', async t => {
  const { hearing, told, pass } = reading(1_000)
  for (let sequence = 1; sequence <= 10; sequence++) {
    hearing.delivered(sequence, 0)
    t.notOk(pass(half, 1_000 + sequence, null))
  }
  t.match(told, [/^deaf/])
  hearing.delivered(1_009, 0)
  t.equal(told.length, 1)
  hearing.delivered(1_010, 0)
  t.strictSame(told.slice(1), ['hears'])
})

t.test('reader is deaf at once when a leader responds after more than 2 s, until its copy has what that leader has', async t => {
  const { told, pass } = reading()
  pass(second, 10, 10)
  pass(5 * second, null, 10)
  t.strictSame(told, [])
  t.notOk(pass(half, 20, 10))
  t.strictSame(told, [`deaf for ${5 * second + half}`])
  pass(half, null, 19)
  t.equal(told.length, 1)
  pass(half, null, 20)
  t.strictSame(told.slice(1), ['hears'])
})

t.test('new consumer of a deaf reader has caught up with all waiting messages and all that the leader had', async t => {
  const { hearing, told } = reading()
  hearing.lost()
  t.strictSame(told, ['deaf for 0'])
  hearing.led(15)
  hearing.found(2, 20)
  hearing.delivered(12, 1)
  hearing.has(20)
  t.equal(told.length, 1, 'one message still waits')
  hearing.delivered(19, 0)
  t.strictSame(told.slice(1), ['hears'])
  hearing.lost()
  hearing.found(0, 21)
  t.equal(told.length, 3, 'no message waits, but the copy has not shown all')
  hearing.has(21)
  t.strictSame(told.slice(3), ['hears'])
})

t.test('paused reader is not behind, because it asks for nothing', async t => {
  const { clock, hearing, told } = reading()
  for (let passed = 0; passed < 10 * second; passed += half) {
    clock.advance(half)
    hearing.led(11)
    t.notOk(hearing.isBehind(true))
  }
  t.strictSame(told, [])
})

t.test('reader of the only copy needs no proof', async t => {
  const { hearing, told, pass } = reading(null)
  t.notOk(pass(10 * second, 20, 0))
  hearing.lost()
  hearing.found(1, null)
  hearing.delivered(11, 0)
  t.strictSame(told, ['deaf for 0', 'hears'])
})
