// Drafts of Templates, stored only in this browser. Nobody else sees a draft, and publication removes the draft. In a browser without
// storage, a draft is lost when its page is closed.
import { workspaceId } from '../../data/session.ts'
import { type Draft, draftOfJson } from './draft.ts'

/** Largest draft that is stored, characters. No valid Template is larger. */
const charactersMost = 256 * 1024
/** Key under which the draft of a Template without a key is stored. */
export const unnamed = ''

interface Storage {
  readonly length: number
  key(index: number): string | null
  getItem(name: string): string | null
  setItem(name: string, value: string): void
  removeItem(name: string): void
}

const prefix = () => `watchkeeper-draft ${workspaceId.peek() ?? ''} `

const storage = (): Storage | null => {
  try {
    return localStorage
  } catch {
    return null
  }
}

/** Returns the stored draft; null: there is none. */
export function readDraft(key: string, from: Storage | null = storage()): Draft | null {
  const text = from?.getItem(prefix() + key) ?? null
  if (text === null) return null
  try {
    return draftOfJson(text)
  } catch {
    return null
  }
}

/** Stores the draft. Returns false if the browser cannot store it. */
export function keepDraft(key: string, draft: Draft, into: Storage | null = storage()): boolean {
  const text = JSON.stringify(draft)
  if (into === null || text.length > charactersMost) return false
  try {
    into.setItem(prefix() + key, text)
    return true
  } catch {
    return false
  }
}

export function dropDraft(key: string, from: Storage | null = storage()): void {
  from?.removeItem(prefix() + key)
}

/** Returns the keys of this workspace's Templates that have a draft; an empty text for the draft without a key. */
export function draftKeys(from: Storage | null = storage()): string[] {
  if (from === null) return []
  const names = Array.from({ length: from.length }, (_, i) => from.key(i) ?? '')
  return names.filter(name => name.startsWith(prefix())).map(name => name.slice(prefix().length))
}
