// Sequence numbers of the installation. No number is returned twice. A number is lost if the process ends before the number is used.
import type { Store } from '#shared/store/port.ts'
import { changeGuarded } from './guarded.ts'

/** Returns the next number of a counter. The first number is 1. */
export async function nextNumber(store: Store, name: 'destinations' | 'transformations'): Promise<number> {
  const counter = await changeGuarded(store, 'counters', name, present => ({ id: name, rev: 0, next: (present?.next ?? 1) + 1 }))
  return (counter?.next ?? 2) - 1
}
