// Announcements of the result of a person's action. An announcement is a sentence that is shown in a corner, read aloud by screen
// readers, and removed after a while. The announcement of a refusal stays until the person closes it.
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
