// Audit rows that wait at a gateway, in batches. Once the first write of a batch has begun, the batch never changes. So a retry writes the
// same rows.
import { limits } from '#shared/limits/limits.ts'
import { auditNumbers, gatewayDigits } from '#shared/text/audit-ids.ts'
import { randomId } from '#shared/text/ids.ts'
import { type AuditBatch, createAuditBatch } from './audit-batch.ts'
import type { AuditRow } from './audit-row.ts'

const { flushRows, flushCharacters } = limits.audit

export interface AuditBacklog {
  rows(): number
  /** Adds a row. Returns whether a batch is full now. */
  add(row: AuditRow): boolean
  /** Marks all rows that wait now as due for writing. */
  markDue(): void
  /** Returns the oldest batch that is full or due. Undefined: no batch is full or due. */
  next(): AuditBatch | undefined
  shift(): void
}

export function createAuditBacklog(): AuditBacklog {
  const gateway = randomId(gatewayDigits)
  const closed: AuditBatch[] = []
  let open = createAuditBatch(gateway)
  let isDue = false
  let rows = 0
  let number = 0

  const close = () => {
    closed.push(open)
    open = createAuditBatch(gateway)
    isDue = false
  }
  return {
    rows: () => rows,
    add: row => {
      open.add(row, number)
      number = (number + 1) % auditNumbers
      rows += 1
      const isFull = open.rows() >= flushRows || open.characters() >= flushCharacters
      if (isFull) close()
      return isFull
    },
    markDue: () => {
      isDue = open.rows() > 0
    },
    // While the oldest batch waits for its retry, new rows go into the open batch, even if that batch is due. Many small batches would need
    // many writes.
    next: () => {
      if (closed.length === 0 && isDue) close()
      return closed[0]
    },
    shift: () => {
      rows -= closed.shift()?.rows() ?? 0
    },
  }
}
