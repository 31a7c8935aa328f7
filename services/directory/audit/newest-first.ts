// Rows of a workspace's audit, newest first, from blocks that overlap: those of several gateways, and of Observations beside all else.
import { limits } from '#shared/limits/limits.ts'
import type { Store } from '#shared/store/port.ts'
import { type AuditPlace, auditBound, auditPrefix, compareAuditPlaces, parseAuditBlockId } from '#shared/text/audit-ids.ts'
import { endOfPrefix } from '#shared/text/ids.ts'
import { type PlacedRow, rowsOf } from './audit-blocks.ts'

const { blockMs, blocksPerRead } = limits.audit
/** Two blocks: rows of a block are in order as soon as the next block is known. */
const fewestBlocks = 2

interface Wanted {
  workspaceId: string | null
  /** ms, inclusive; null: from the first. */
  since: number | null
  /** Rows before this place; null: to the last. */
  end: AuditPlace | null
  /** Rows that one read should yield, about. */
  perRead: number
}

/** Slices of the rows, each newest first and before the slice that follows. A slice may be empty. */
export async function* newestFirst(store: Store, { workspaceId, since, end, perRead }: Wanted): AsyncGenerator<PlacedRow[]> {
  const prefix = auditPrefix(workspaceId)
  const gte = since === null ? prefix : auditBound(workspaceId, since)
  // A block that ends behind `end` may begin before it.
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
    // Blocks that are not read yet have only older rows than the newest row of the last block.
    const { newest } = parseAuditBlockId(lt)
    const open = waiting.findIndex(row => compareAuditPlaces(row, newest) < 0)
    yield waiting.splice(0, open < 0 ? waiting.length : open)
  }
}

/** As many as have `rows` by the blocks read so far: a quiet workspace has a row in a block, a busy one hundreds. */
function blocksFor(rows: number, read: { blocks: number; rows: number }): number {
  if (read.blocks === 0) return fewestBlocks
  return Math.min(Math.max(fewestBlocks, Math.ceil((rows * read.blocks) / read.rows)), blocksPerRead)
}
