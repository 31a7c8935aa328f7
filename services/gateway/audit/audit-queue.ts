// Queue of audit rows for the directory. Rows are written in batches within a second. If writes fail, the queue grows up to a bound and
// then drops rows. Responses are sent without waiting for the writes. Reference: docs/reference/v3.md, 11.4.
import { Counter, Gauge, type Registry } from 'prom-client'
import { createSeldom } from '#shared/async/seldom.ts'
import { waitAtMost } from '#shared/async/wait-at-most.ts'
import type { AuditBlock } from '#shared/contracts/ask/ask-audit.ts'
import { AppError } from '#shared/errors.ts'
import { limits } from '#shared/limits/limits.ts'
import type { Logger } from '#shared/observability/logger.ts'
import { registeredMetric } from '#shared/observability/registered-metric.ts'
import type { Cancel, Clock } from '#shared/time/clock.ts'
import { createAuditBacklog } from './audit-backlog.ts'
import type { AuditBatch } from './audit-batch.ts'
import type { AuditRow } from './audit-row.ts'

const { queued, flushMs, lastWriteMs } = limits.audit

export interface AuditQueue {
  add(row: AuditRow): void
  /** Writes the remaining rows. Gives up after `limits.audit.lastWriteMs`. */
  stop(): Promise<void>
}

/**
 * Reason why rows are dropped. `full`: too many rows wait. `refused`: the directory will never accept the batch. `stop`: the process ended
 * before the write.
 */
type DropReason = 'full' | 'refused' | 'stop'

interface AuditQueueContext {
  clock: Clock
  logger: Logger
  metrics: Registry
  /** Writes blocks. Rejects with an AppError. After a retryable error the queue calls `write` again with the same blocks. */
  write(blocks: AuditBlock[]): Promise<unknown>
}

export function createAuditQueue({ clock, logger, metrics, write }: AuditQueueContext): AuditQueue {
  const backlog = createAuditBacklog()
  const counted = createMetrics(metrics)
  const seldom = createSeldom<{ err?: unknown }>(clock, (sentence, more, count) => logger.warn({ ...more, count }, sentence))
  let writing: Promise<void> | null = null
  let timer: Cancel | null = null
  /** Whether the latest write failed. If it failed, the next write waits for the timer. */
  let isResting = false
  let isStopped = false

  const drop = (count: number, reason: DropReason, more: { err?: unknown } = {}) => {
    counted.dropped.inc({ reason }, count)
    seldom.note(logged[reason], more, count)
  }
  /** Resolves to false if the batch waits for a retry. */
  const writeBatch = async (batch: AuditBatch): Promise<boolean> => {
    try {
      await write(batch.blocks)
    } catch (error) {
      if (error instanceof AppError && error.retryable) {
        seldom.note('audit rows could not be written, and wait', { err: error })
        return false
      }
      drop(batch.rows(), 'refused', { err: error })
    }
    backlog.shift()
    return true
  }
  const writeDue = async () => {
    for (let batch = backlog.next(); batch !== undefined && !isResting; batch = backlog.next()) {
      isResting = !(await writeBatch(batch))
    }
    counted.waiting(backlog.rows())
    if (isResting) wait()
  }
  const run = () => {
    writing ??= writeDue().finally(() => {
      writing = null
    })
  }
  const wait = () => {
    if (isStopped) return
    timer ??= clock.schedule(flushMs, () => {
      timer = null
      isResting = false
      backlog.markDue()
      counted.waiting(backlog.rows())
      run()
    })
  }
  const writeLast = async () => {
    try {
      await writing
      isResting = false
      backlog.markDue()
      await writeDue()
    } catch (error) {
      logger.error({ err: error }, 'last audit rows were not written')
    }
  }
  return {
    add: row => {
      if (isStopped) return drop(1, 'stop')
      if (backlog.rows() >= queued) return drop(1, 'full')
      const isFull = backlog.add(row)
      wait()
      if (isFull) run()
    },
    stop: async () => {
      isStopped = true
      timer?.()
      await waitAtMost(clock, lastWriteMs, writeLast())
      if (backlog.rows() > 0) drop(backlog.rows(), 'stop')
      counted.waiting(0)
      seldom.stop()
    },
  }
}

const logged: Record<DropReason, string> = {
  full: 'audit rows dropped because too many wait',
  refused: 'audit rows dropped because the directory refused them',
  stop: 'audit rows dropped because the gateway ended before they were written',
}

function createMetrics(registry: Registry) {
  const dropped = registeredMetric(registry, 'watchkeeper_gateway_audit_dropped_total', name => {
    const help = 'Rows of the audit that were dropped, by reason.'
    return new Counter({ name, help, labelNames: ['reason'], registers: [registry] })
  })
  const waiting = registeredMetric(registry, 'watchkeeper_gateway_audit_waiting', name => {
    return new Gauge({ name, help: 'Rows of the audit that wait to be written.', registers: [registry] })
  })
  let shown = 0
  return {
    dropped,
    /**
     * Sets this queue's number of waiting rows. All queues of a metrics registry share one metric, so only the change since the previous
     * call is added.
     */
    waiting: (rows: number) => {
      waiting.inc(rows - shown)
      shown = rows
    },
  }
}
