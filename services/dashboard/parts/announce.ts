// Announcements of results, each a sentence: shown in a corner, read aloud, and removed after a while. A refusal stays until it is closed.
import { signal } from '@preact/signals'
import { schedule } from '../data/clock.ts'

export interface Announcement {
  id: number
  sentence: string
  isRefusal: boolean
}

export const announcements = signal<readonly Announcement[]>([])

/** Maximum number of announcements; the oldest is removed first. */
const atOnce = 4
const shownMs = 6_000
let last = 0

export function announce(sentence: string, { isRefusal = false } = {}): void {
  last += 1
  const id = last
  announcements.value = [...announcements.value, { id, sentence, isRefusal }].slice(-atOnce)
  if (!isRefusal) schedule(shownMs, () => dismiss(id))
}

export function dismiss(id: number): void {
  announcements.value = announcements.value.filter(one => one.id !== id)
}
