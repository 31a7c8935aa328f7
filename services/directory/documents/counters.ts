// Running numbers of the installation. A number is given once; a lost one is never given again.
import type { Store } from '#shared/store/port.ts'
import { changeGuarded } from './guarded.ts'

/** The next number of this name, from 1. */
export async function nextNumber(store: Store, name: 'destinations' | 'transformations'): Promise<number> {
  const counter = await changeGuarded(store, 'counters', name, present => ({ id: name, rev: 0, next: (present?.next ?? 1) + 1 }))
  return (counter?.next ?? 2) - 1
}
