// Indexes of the store. A start makes what is missing, so a missing one was dropped, or could not be made.
import type { Facts } from '../facts.ts'
import { type Finding, fault, well } from '../finding.ts'

const namedMost = 5

export function checkIndexes({ store }: Facts): Finding[] {
  if (store.kind === 'none' || store.kind === 'unknown') return []
  if (store.kind === 'sqlite' && (store.isUsed || !store.exists)) return []
  const { missingIndexes: missing, level } = store
  if (store.fault !== null || level === null) return []
  if (missing.length === 0) return [well('All are there.')]
  const named = missing.slice(0, namedMost).join(', ')
  const more = missing.length > namedMost ? ` and ${missing.length - namedMost} more` : ''
  const why = 'Without an index, a read looks at every document: pages and messages become slow, and late.'
  return [
    fault(
      `The store lacks indexes: ${named}${more}.`,
      why,
      'Restart one process with a store, which makes them; if they are missing again, read its log.',
    ),
  ]
}
