// Slugs: the readable id of a subject within its workspace, and of a signal or a rule within its subject (reference/custom-subjects 1.6).
import { limits } from '#shared/limits/limits.ts'

/**
 * Returns the words of a name (Unicode letters and digits, in lower case) joined by `-`, cut to 64 characters. Returns an empty text for
 * a name without a letter or digit. `İ` becomes only `i`, because the combining dot of its lower case is not a letter.
 */
export function slugOf(name: string): string {
  const lower = [...name.normalize('NFC')].map(character => [...character.toLowerCase()][0]).join('')
  const words = lower.match(/[\p{L}\p{Nd}]+/gu) ?? []
  return [...words.join('-')].slice(0, limits.directory.slugCharacters).join('').replace(/-+$/, '')
}

/** Returns the n-th candidate of a slug: `shop`, `shop-2`, `shop-3`, … The suffix is added after the base was cut. */
export const slugCandidate = (base: string, n: number): string => (n === 1 ? base : `${base}-${n}`)

/** Returns true if the text may be a slug. If the result is false, no object has this slug, so no request is needed. */
export const isSlug = (text: string): boolean => text.length <= longestSlug && form.test(text)

const form = /^[\p{L}\p{Nd}]+(?:-[\p{L}\p{Nd}]+)*$/u
/** Largest length of a slug in UTF-16 units: two units for each character, and 8 units for a suffix. */
export const longestSlug = 2 * limits.directory.slugCharacters + 8
