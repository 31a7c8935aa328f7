// How many unarchived Resources of a workspace live by each revision of a Template. One pass over columns: no document is read.
import type { AskRequest } from '#shared/contracts/ask/ask.ts'
import { limits } from '#shared/limits/limits.ts'
import type { Query } from '#shared/store/port.ts'
import type { DirectoryContext } from '../context.ts'

const perRead = limits.roster.revsPerRead

export async function countTemplateUses(
  { store }: DirectoryContext,
  { workspaceId }: AskRequest<'count-template-uses'>,
): Promise<Record<string, number>> {
  const uses = new Map<string, number>()
  const where = { workspaceId, archivedAt: null, deletedAt: null }
  for (let last: string | null = null; ; ) {
    const query: Query = { where, limit: perRead, select: ['template'] }
    const found: { id: string; template: string | null }[] = await store.find(
      'subjects',
      last === null ? query : { ...query, after: { values: [], id: last } },
    )
    for (const { template } of found) if (template !== null) uses.set(template, (uses.get(template) ?? 0) + 1)
    last = found.at(-1)?.id ?? null
    if (last === null || found.length < perRead) return Object.fromEntries(uses)
  }
}
