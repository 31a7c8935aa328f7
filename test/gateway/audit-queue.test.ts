// The queue of audit rows: when it writes, what it keeps while nobody takes rows, and what it drops. Rule: docs/reference/v3.md, 11.4.
import { pino } from 'pino'
import { Registry } from 'prom-client'
import t from 'tap'
import type { AuditRow } from '#shared/contracts/ask-audit.ts'
import { AppError } from '#shared/errors.ts'
import { limits, minute } from '#shared/limits.ts'
import { createAuditQueue } from '../../services/gateway/audit/audit-queue.ts'
import { createHandClock } from '../support/hand-clock.ts'

const { queued, flushMs, flushRows, lastWriteMs } = limits.audit

const row = (number: number): AuditRow => ({
  at: number,
  order: String(number).padStart(9, '0'),
  workspaceId: 'w1',
  personId: null,
  personName: null,
  keyId: null,
  keyPrefix: null,
  addressId: null,
  method: 'POST',
  path: '/',
  status: 200,
  userAgent: null,
  isObservation: false,
})

interface Write {
  first: number
  rows: number
  done(): void
  fail(error: Error): void
}

/** Writes wait until the test settles them, or succeed at once. */
function start({ isPrompt = false } = {}) {
  const clock = createHandClock()
  const metrics = new Registry()
  const lines: { msg: string; count?: number }[] = []
  const logger = pino({ base: null }, { write: (line: string) => void lines.push(JSON.parse(line)) })
  const writes: Write[] = []
  const write = (rows: AuditRow[]) =>
    new Promise<void>((resolve, reject) => {
      writes.push({ first: rows[0]?.at ?? -1, rows: rows.length, done: resolve, fail: reject })
      if (isPrompt) resolve()
    })
  const queue = createAuditQueue({ clock, logger, metrics, write })
  let next = 0
  const dropped = async () => {
    const { values = [] } = (await metrics.getSingleMetric('watchkeeper_gateway_audit_dropped_total')?.get()) ?? {}
    return Object.fromEntries(values.map(({ labels, value }) => [labels['reason'], value]))
  }
  const waiting = async () => (await metrics.getSingleMetric('watchkeeper_gateway_audit_waiting')?.get())?.values[0]?.value
  const add = (count: number) => {
    for (let i = 0; i < count; i++) queue.add(row(next++))
  }
  return { clock, queue, writes, lines, add, dropped, waiting }
}

/** Until promises that are settled have been heard. */
const settled = () => new Promise(setImmediate)
const away = () => new AppError('unavailable', 'The store does not answer')

t.test('v3 11.4: rows are written a second after the first, and no sooner', async t => {
  const { clock, writes, add } = start()
  add(1)
  clock.advance(flushMs / 2)
  add(2)
  clock.advance(flushMs / 2 - 1)
  t.equal(writes.length, 0)
  clock.advance(1)
  t.match(writes, [{ first: 0, rows: 3 }])
})

t.test('v3 11.4: 500 waiting rows are written at once, 499 are not', async t => {
  const { writes, add } = start()
  add(flushRows - 1)
  t.equal(writes.length, 0)
  add(1)
  t.match(writes, [{ rows: flushRows }])
})

t.test('v3 11.4: rows that come during a write are written within a second of their own, one batch after the other', async t => {
  const { clock, writes, add } = start()
  add(flushRows)
  clock.advance(flushMs / 2)
  add(10)
  clock.advance(flushMs)
  t.equal(writes.length, 1, 'one write at a time')
  writes[0]?.done()
  await settled()
  t.match(writes, [{ first: 0 }, { first: flushRows, rows: 10 }])
})

t.test('v3 11.4: rows of a failed write wait, and are written again in their order', async t => {
  const { clock, writes, lines, add, dropped } = start()
  add(2)
  clock.advance(flushMs)
  writes[0]?.fail(away())
  await settled()
  add(flushRows)
  await settled()
  t.equal(writes.length, 1, 'a full batch does not hurry a directory that is away')
  clock.advance(flushMs)
  t.match(writes[1], { first: 0, rows: flushRows })
  writes[1]?.done()
  await settled()
  t.match(writes[2], { first: flushRows, rows: 2 })
  t.strictSame(await dropped(), {})
  t.match(lines, [{ msg: 'audit rows could not be written, and wait' }])
})

t.test('v3 11.4: 10,000 rows wait, the next ones are dropped, counted, and logged once a minute', async t => {
  const { clock, writes, lines, add, dropped, waiting } = start()
  add(queued)
  t.strictSame(await dropped(), {}, 'all that the bound allows')
  add(1)
  t.strictSame(await dropped(), { full: 1 })
  add(41)
  t.strictSame(await dropped(), { full: 42 })
  const full = () => lines.filter(({ msg }) => msg === 'audit rows dropped because too many wait').map(({ count }) => count)
  t.strictSame(full(), [1], 'the first at once')
  clock.advance(minute - 1)
  t.strictSame(full(), [1])
  clock.advance(1)
  t.strictSame(full(), [1, 41], 'the others a minute later')
  for (let i = 0; i < queued / flushRows; i++) {
    writes[i]?.done()
    await settled()
  }
  t.equal(await waiting(), 0)
  t.equal(
    writes.reduce((sum, { rows }) => sum + rows, 0),
    queued,
    'every row that was kept is written',
  )
  add(1)
  t.strictSame(await dropped(), { full: 42 }, 'there is room again')
})

t.test('a batch that the directory will never take is dropped, so that it does not keep back the others', async t => {
  const { clock, writes, lines, add, dropped } = start()
  add(flushRows + 1)
  clock.advance(flushMs)
  writes[0]?.fail(new AppError('validation', 'Invalid request'))
  await settled()
  t.match(writes[1], { first: flushRows, rows: 1 })
  t.strictSame(await dropped(), { refused: flushRows })
  t.match(lines, [{ msg: 'audit rows dropped because the directory refused them', count: flushRows }])
})

t.test('v3 11.4: a stop writes what is left', async t => {
  const { writes, queue, add, dropped, waiting } = start({ isPrompt: true })
  add(1_234)
  await queue.stop()
  t.equal(
    writes.reduce((sum, { rows }) => sum + rows, 0),
    1_234,
  )
  t.equal(await waiting(), 0)
  t.strictSame(await dropped(), {})
})

t.test('a stop ends in time without a directory, and counts the rows that are lost', async t => {
  const { clock, writes, lines, queue, add, dropped } = start()
  add(3)
  const stopping = queue.stop()
  await settled()
  t.match(writes, [{ rows: 3 }])
  clock.advance(lastWriteMs)
  await stopping
  t.strictSame(await dropped(), { stop: 3 })
  t.match(lines, [{ msg: 'audit rows dropped because the gateway ended before they were written', count: 3 }])
  const failing = start()
  failing.add(1)
  const ending = failing.queue.stop()
  await settled()
  failing.writes[0]?.fail(away())
  await ending
  t.strictSame(await failing.dropped(), { stop: 1 }, 'it does not try a second time')
})
