// Audit rows of a workspace, newest first. Blocks may overlap in time, because several gateways write blocks, and a gateway writes separate
// blocks for Observations. This file merges the blocks.
import { limits } from '#shared/limits/limits.ts'
import type { Store } from '#shared/store/port.ts'
import { type AuditPlace, auditBound, auditPrefix, compareAuditPlaces, parseAuditBlockId } from '#shared/text/audit-ids.ts'
import { endOfPrefix } from '#shared/text/ids.ts'
import { type PlacedRow, rowsOf } from './audit-blocks.ts'

const { blockMs, blocksPerRead } = limits.audit
/**
 * Number of blocks in the first read. The rows of a block can be returned only after the next block is read, because the next block may
 * contain newer rows.
 */
const fewestBlocks = 2

interface WantedAuditRows {
  workspaceId: string | null
  /** Earliest instant of a row, ms since the epoch; null: no bound. */
  since: number | null
  /** Only rows before this position are returned; null: no bound. */
  end: AuditPlace | null
  /** Approximate number of rows that one read of the store returns. */
  perRead: number
}

/** Yields the rows in slices, newest first across all slices. A slice may be empty. */
export async function* newestFirst(
  store: Store,
  { workspaceId, since, end, perRead }: WantedAuditRows,
): AsyncGenerator<PlacedRow[]> {
  const prefix = auditPrefix(workspaceId)
  const gte = since === null ? prefix : auditBound(workspaceId, since)
  // A block that ends after `end` is also read if it begins before `end`, because it may contain rows before `end`.
  let lt = end === null ? endOfPrefix(prefix) : auditBound(workspaceId, end.at + blockMs + 1)
  const begun = end === null ? {} : { firstAt: { lte: end.at } }
  const isWanted = (row: PlacedRow) => (since === null || row.at >= since) && (end === null || compareAuditPlaces(row, end) < 0)
  let waiting: PlacedRow[] = []
  const read = { blocks: 0, rows: 0 }
  for (;;) {
    const size = blocksFor(perRead, read)
    const found = await store.find('server_api_audit', {
      where: { id: { gte, lt }, ...begun },
      sort: [['id', 'desc']],
      limit: size,
    })
    const rows = found.flatMap(rowsOf)
    read.blocks += found.length
    read.rows += rows.length
    waiting = [...waiting, ...rows.filter(isWanted)].sort((one, other) => compareAuditPlaces(other, one))
    lt = found.at(-1)?.id ?? lt
    if (found.length < size) return yield waiting
    // The block with the latest newest row is read first. Rows of unread blocks are thus older than the newest row of the last block read.
    const { newest } = parseAuditBlockId(lt)
    const open = waiting.findIndex(row => compareAuditPlaces(row, newest) < 0)
    yield waiting.splice(0, open < 0 ? waiting.length : open)
  }
}

/**
 * Returns an estimate of the number of blocks that contain `rows` rows, from the average of the blocks read so far. A block has from one to
 * hundreds of rows.
 */
function blocksFor(rows: number, read: { blocks: number; rows: number }): number {
  if (read.blocks === 0) return fewestBlocks
  return Math.min(Math.max(fewestBlocks, Math.ceil((rows * read.blocks) / read.rows)), blocksPerRead)
}
