// Audit rows for tests: created, grouped into blocks as a gateway does, and read from the store.
import type { AuditBlock, AuditView } from '#shared/contracts/ask/ask-audit.ts'
import type { Store } from '#shared/store/port.ts'
import { parseAuditBlockId } from '#shared/text/audit-ids.ts'
import { rowsOf, viewOf } from '../../../services/directory/audit/audit-blocks.ts'
import { createAuditBatch } from '../../../services/gateway/audit/audit-batch.ts'
import type { AuditRow } from '../../../services/gateway/audit/audit-row.ts'

/** Returns the row of a request by Ann with a key, in workspace `w1`. */
export const auditRow = (at: number, more: Partial<AuditRow> = {}): AuditRow => ({
  at,
  workspaceId: 'w1',
  personId: 'ann',
  personName: 'Ann',
  keyId: 'k1',
  keyPrefix: 'wk_1234',
  addressId: null,
  method: 'POST',
  path: '/api/v3/workspaces/w1/templates',
  status: 201,
  userAgent: 'curl/8',
  isObservation: false,
  made: null,
  ...more,
})

/** Returns the blocks of one batch. `number`: number of the first row. */
export function auditBlocks(rows: readonly AuditRow[], { gateway = 'gate01', number = 0 } = {}): AuditBlock[] {
  const batch = createAuditBatch(gateway)
  for (const [i, row] of rows.entries()) batch.add(row, number + i)
  return batch.blocks
}

/** Returns all stored rows, block after block. */
export async function storedAuditRows(store: Store): Promise<AuditView[]> {
  const blocks = await store.find('server_api_audit', { limit: 10_000 })
  return blocks.flatMap(block => rowsOf(block).map(row => viewOf(parseAuditBlockId(block.id).workspaceId, row)))
}
