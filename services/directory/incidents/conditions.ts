// The conditions of the installation that hold now. Notifiers alone write them.
import type { AskResults } from '#shared/contracts/ask/ask.ts'
import { limits } from '#shared/limits/limits.ts'
import type { DirectoryContext } from '../context.ts'

/** The oldest first. */
export async function listConditions({ store }: DirectoryContext): Promise<AskResults['list-conditions']> {
  const found = await store.find('conditions', { where: { raised: 1 }, limit: limits.operator.listed })
  return found
    .map(({ kind, name, since, summary }) => ({ kind, name, since, summary }))
    .sort((one, other) => one.since - other.since)
}
