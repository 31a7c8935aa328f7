// Rows of the audit on their way to the directory: written in batches, within a second, and bounded while nobody takes them. No request
// waits for a row. Rule: docs/reference/v3.md, 11.4.
import { Counter, Gauge, type Registry } from 'prom-client'
import type { Cancel, Clock } from '#shared/clock.ts'
import type { AuditRow } from '#shared/contracts/ask-audit.ts'
import { AppError } from '#shared/errors.ts'
import { limits } from '#shared/limits.ts'
import type { Logger } from '#shared/logger.ts'
import { registeredMetric } from '#shared/registered-metric.ts'
import { createSeldom } from '#shared/seldom.ts'

const { queued, flushMs, flushRows, lastWriteMs } = limits.audit

export interface AuditQueue {
  add(row: AuditRow): void
  /** Writes the rows that are left, for `limits.audit.lastWriteMs` at most. */
  stop(): Promise<void>
}

/** `full`: too many rows wait. `refused`: the directory will never take the batch. `stop`: the process ended before they were written. */
type DropReason = 'full' | 'refused' | 'stop'

interface Means {
  clock: Clock
  logger: Logger
  metrics: Registry
  /** Rejects with an AppError; rows of a failure that may pass are written again. */
  write(rows: AuditRow[]): Promise<unknown>
}

export function createAuditQueue({ clock, logger, metrics, write }: Means): AuditQueue {
  /** Also the batch that is being written. */
  const waiting: AuditRow[] = []
  const counted = createMetrics(metrics)
  const seldom = createSeldom<{ err?: unknown }>(clock, (sentence, more, count) => logger.warn({ ...more, count }, sentence))
  let writing: Promise<void> | null = null
  let timer: Cancel | null = null
  /** So many rows have waited their time. */
  let due = 0
  /** The latest write failed: the next one waits for the timer. */
  let isResting = false
  let isStopped = false

  const drop = (count: number, reason: DropReason, more: { err?: unknown } = {}) => {
    counted.dropped.inc({ reason }, count)
    seldom.note(logged[reason], more, count)
  }
  const remove = (count: number) => {
    waiting.splice(0, count)
    due = Math.max(0, due - count)
    counted.waiting.dec(count)
  }
  /** False: the batch waits for another try. */
  const writeBatch = async (): Promise<boolean> => {
    const batch = waiting.slice(0, flushRows)
    try {
      await write(batch)
    } catch (error) {
      if (error instanceof AppError && error.retryable) {
        seldom.note('audit rows could not be written, and wait', { err: error })
        return false
      }
      drop(batch.length, 'refused', { err: error })
    }
    remove(batch.length)
    return true
  }
  const writeDue = async () => {
    while (!isResting && (due > 0 || waiting.length >= flushRows)) isResting = !(await writeBatch())
    if (isResting) wait()
  }
  const run = () => {
    writing ??= writeDue().finally(() => {
      writing = null
    })
  }
  const wait = () => {
    if (isStopped) return
    timer ??= clock.after(flushMs, () => {
      timer = null
      isResting = false
      due = waiting.length
      run()
    })
  }
  return {
    add: row => {
      if (isStopped) return drop(1, 'stop')
      if (waiting.length >= queued) return drop(1, 'full')
      waiting.push(row)
      counted.waiting.inc()
      wait()
      if (waiting.length >= flushRows) run()
    },
    stop: async () => {
      isStopped = true
      timer?.()
      await within(clock, lastWriteMs, async () => {
        await writing
        isResting = false
        due = waiting.length
        await writeDue()
      })
      if (waiting.length > 0) drop(waiting.length, 'stop')
      seldom.stop()
    },
  }
}

const logged: Record<DropReason, string> = {
  full: 'audit rows dropped because too many wait',
  refused: 'audit rows dropped because the directory refused them',
  stop: 'audit rows dropped because the gateway ended before they were written',
}

function within(clock: Clock, ms: number, work: () => Promise<void>): Promise<void> {
  return new Promise((resolve, reject) => {
    const cancel = clock.after(ms, resolve)
    work().then(resolve, reject).finally(cancel)
  })
}

function createMetrics(registry: Registry) {
  const dropped = registeredMetric(registry, 'watchkeeper_gateway_audit_dropped_total', name => {
    const help = 'Rows of the audit that were dropped, by reason.'
    return new Counter({ name, help, labelNames: ['reason'], registers: [registry] })
  })
  const waiting = registeredMetric(registry, 'watchkeeper_gateway_audit_waiting', name => {
    return new Gauge({ name, help: 'Rows of the audit that wait to be written.', registers: [registry] })
  })
  return { dropped, waiting }
}
