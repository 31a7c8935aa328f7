// The queue of audit rows: when it writes, which rows it keeps while the directory stores none, and which rows it drops. Reference:
// docs/reference/v3.md, 11.4.
import { pino } from 'pino'
import { type Gauge, Registry } from 'prom-client'
import t from 'tap'
import type { AuditBlock } from '#shared/contracts/ask/ask-audit.ts'
import { AppError } from '#shared/errors.ts'
import { limits, minute } from '#shared/limits/limits.ts'
import { createAuditQueue } from '../../services/gateway/audit/audit-queue.ts'
import type { AuditRow } from '../../services/gateway/audit/audit-row.ts'
import { createHandClock } from '../support/hand-clock.ts'
import { auditRow } from '../support/store/audit-rows.ts'

const { queued, flushMs, flushRows, flushCharacters, lastWriteMs, blockMs } = limits.audit

interface Write {
  /** Number of the first row in this write. All rows are numbered in their order, and the path of a row is its number. */
  first: number
  rows: number
  blocks: AuditBlock[]
  done(): void
  fail(error: Error): void
}

/** Starts a queue. Each of its writes waits until the test settles it, or succeeds at once if `isPrompt`. */
function start({ isPrompt = false } = {}) {
  const clock = createHandClock()
  const metrics = new Registry()
  const lines: { msg: string; count?: number }[] = []
  const logger = pino({ base: null }, { write: (line: string) => void lines.push(JSON.parse(line)) })
  const writes: Write[] = []
  const write = (blocks: AuditBlock[]) =>
    new Promise<void>((resolve, reject) => {
      const rows = blocks.reduce((sum, { paths }) => sum + paths.length, 0)
      writes.push({ first: Number(blocks[0]?.paths[0]), rows, blocks, done: resolve, fail: reject })
      if (isPrompt) resolve()
    })
  const queue = createAuditQueue({ clock, logger, metrics, write })
  let next = 0
  const dropped = async () => {
    const { values = [] } = (await metrics.getSingleMetric('watchkeeper_gateway_audit_dropped_total')?.get()) ?? {}
    return Object.fromEntries(values.map(({ labels, value }) => [labels['reason'], value]))
  }
  const waiting = async () => (await metrics.getSingleMetric('watchkeeper_gateway_audit_waiting')?.get())?.values[0]?.value
  const add = (count: number, more: Partial<AuditRow> = {}) => {
    for (let i = 0; i < count; i++) queue.add(auditRow(clock.now(), { path: String(next++), ...more }))
  }
  return { clock, metrics, queue, writes, lines, add, dropped, waiting }
}

/** Waits until the callbacks of settled promises have run. */
const settled = () => new Promise(setImmediate)
const away = () => new AppError('unavailable', 'The store does not answer')

t.test('waiting rows are written one second after the first of them arrived (v3 11.4)', async t => {
  const { clock, writes, add } = start()
  add(1)
  clock.advance(flushMs / 2)
  add(2)
  clock.advance(flushMs / 2 - 1)
  t.equal(writes.length, 0)
  clock.advance(1)
  t.match(writes, [{ first: 0, rows: 3 }])
})

t.test('queue waits with 499 rows, and writes at once when it has 500 (v3 11.4)', async t => {
  const { writes, add } = start()
  add(flushRows - 1)
  t.equal(writes.length, 0)
  add(1)
  t.match(writes, [{ rows: flushRows }])
})

t.test('rows that arrive during a write are written within a second, one batch at a time (v3 11.4)', async t => {
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

t.test('rows of a failed write are sent again as the same blocks before later rows (v3 11.4)', async t => {
  const { clock, writes, lines, add, dropped } = start()
  add(2)
  clock.advance(flushMs)
  writes[0]?.fail(away())
  await settled()
  add(flushRows)
  await settled()
  t.equal(writes.length, 1, 'a full batch does not hurry a directory that is away')
  clock.advance(flushMs)
  t.strictSame(writes[1]?.blocks, writes[0]?.blocks)
  writes[1]?.done()
  await settled()
  t.match(writes[2], { first: 2, rows: flushRows })
  t.strictSame(await dropped(), {})
  t.match(lines, [{ msg: 'audit rows could not be written, and wait' }])
})

t.test('row is dropped, counted and logged once a minute when 10,000 rows already wait (v3 11.4)', async t => {
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

t.test('batch that the directory can never store is dropped, and later batches are written', async t => {
  const { clock, writes, lines, add, dropped } = start()
  add(flushRows + 1)
  clock.advance(flushMs)
  writes[0]?.fail(new AppError('validation', 'Invalid request'))
  await settled()
  t.match(writes[1], { first: flushRows, rows: 1 })
  t.strictSame(await dropped(), { refused: flushRows })
  t.match(lines, [{ msg: 'audit rows dropped because the directory refused them', count: flushRows }])
})

t.test('stop of the queue writes the remaining rows (v3 11.4)', async t => {
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

t.test('stop of the queue ends in time and counts the lost rows when there is no directory', async t => {
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

t.test('stop of the queue ends and logs the fault when the last write fails', async t => {
  const { metrics, lines, queue } = start()
  const gauge = metrics.getSingleMetric('watchkeeper_gateway_audit_waiting') as Gauge
  gauge.inc = () => {
    gauge.inc = () => undefined
    throw new Error('planted')
  }
  await queue.stop()
  t.match(lines, [{ msg: 'last audit rows were not written', err: { message: 'planted' } }])
})

t.test('rows that arrive while the directory is away are sent together, up to a full batch (v3 11.4)', async t => {
  const { clock, writes, add } = start()
  add(1)
  for (let tries = 0; tries < 5; tries++) {
    clock.advance(flushMs)
    writes[tries]?.fail(away())
    await settled()
    add(1)
  }
  clock.advance(flushMs)
  writes[5]?.done()
  await settled()
  t.match(writes[6], { first: 1, rows: 5 })
})

t.test('rows are written at once when their texts reach the size limit of a write', async t => {
  const { writes, add } = start({ isPrompt: true })
  const path = 'x'.repeat(limits.audit.pathCharacters)
  add(Math.ceil(flushCharacters / path.length) - 2, { path })
  t.equal(writes.length, 0)
  add(2, { path })
  t.equal(writes.length, 1)
  await settled()
  for (let i = 0; i < flushRows - 1; i++) add(1, { path, personName: `Person ${i}` })
  t.ok(writes.length > 1, 'texts that several rows share count once')
})

t.test('rows of a workspace make one block, and rows of its Observations make another block', async t => {
  const { clock, writes, add } = start()
  add(2)
  add(1, { isObservation: true })
  add(1, { workspaceId: null })
  clock.advance(1)
  add(1, { status: 409 })
  clock.advance(flushMs)
  const [own, observed, ofNone] = writes[0]?.blocks ?? []
  t.match(own, { workspaceId: 'w1', isObservation: false, afterMs: [0, 0, 1], numbers: [0, 1, 4], kindOf: [0, 0, 1] })
  t.match(own?.kinds, [{ status: 201 }, { status: 409 }])
  t.match(observed, { workspaceId: 'w1', isObservation: true, numbers: [2] })
  t.match(ofNone, { workspaceId: null, numbers: [3] })
  t.equal(writes[0]?.blocks.length, 3)
})

t.test('block ends before a row that is a second later or earlier than the first row of the block', async t => {
  const { clock, writes, add } = start()
  add(1)
  clock.advance(flushMs)
  const at = clock.now()
  for (const [i, after] of [0, blockMs, blockMs + 1, 5, 4].entries()) add(1, { at: at + after, path: String(i) })
  writes[0]?.done()
  await settled()
  clock.advance(flushMs)
  t.strictSame(
    writes[1]?.blocks.map(({ firstAt, afterMs }) => [firstAt - at, ...afterMs]),
    [
      [0, 0, blockMs],
      [blockMs + 1, 0],
      [5, 0],
      [4, 0],
    ],
  )
})
