// Audit rows that wait at a gateway, in batches. A batch never changes after its first write began, so a retry writes the same rows.
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
  /** Returns the first batch that is full or due; undefined: no batch is. */
  next(): AuditBatch | undefined
  /** Removes the first batch. */
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
    // While a batch waits for its retry, the open batch grows until it is full. Many small batches would need many writes.
    next: () => {
      if (closed.length === 0 && isDue) close()
      return closed[0]
    },
    shift: () => {
      rows -= closed.shift()?.rows() ?? 0
    },
  }
}
