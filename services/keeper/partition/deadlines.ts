// Deadlines of a partition's subjects: the instants at which time alone may change something. Never reads a clock.
import { type Due, DueHeap } from '#shared/async/due-heap.ts'

interface DueSubject extends Due {
  subjectId: string
}

export interface Deadlines {
  readonly heap: DueHeap<DueSubject>
  /** Item of each subject in the heap, by id. */
  readonly bySubject: Map<string, DueSubject>
}

export const noDeadlines = (): Deadlines => ({ heap: new DueHeap(), bySubject: new Map() })

/** Earliest deadline, ms since the epoch; null: none. */
export const firstDueAt = ({ heap }: Deadlines): number | null => heap.first()?.dueAt ?? null

/** Moves a subject's deadline, but only to an earlier instant. A round that takes a deadline too early computes the true deadline. */
export function armDeadline({ heap, bySubject }: Deadlines, subjectId: string, dueAt: number): void {
  const known = bySubject.get(subjectId)
  if (known !== undefined && known.dueAt <= dueAt) return
  const item = known ?? { subjectId, dueAt, place: -1 }
  bySubject.set(subjectId, item)
  heap.put(item, dueAt)
}

/** Removes and returns at most `most` subjects that are due at `until` or earlier, the earliest first. */
export function takeDue({ heap, bySubject }: Deadlines, until: number, most: number): string[] {
  const taken: string[] = []
  for (let due = heap.first(); due !== undefined && due.dueAt <= until && taken.length < most; due = heap.first()) {
    heap.remove(due)
    bySubject.delete(due.subjectId)
    taken.push(due.subjectId)
  }
  return taken
}
