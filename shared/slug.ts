// Slugs: the readable name of a subject within its workspace, of a signal or a rule within its subject (spec D 1, Slugs).
import { limits } from '#shared/limits.ts'

/**
 * Lower-case letters and digits (Unicode) of a name joined by `-`, cut to 64 characters; empty for a name without a letter or digit.
 * `İ` becomes `i` alone: the dot that its lower case carries is no letter.
 */
export function slugOf(name: string): string {
  const lower = [...name.normalize('NFC')].map(character => [...character.toLowerCase()][0]).join('')
  const words = lower.match(/[\p{L}\p{Nd}]+/gu) ?? []
  return [...words.join('-')].slice(0, limits.directory.slugCharacters).join('').replace(/-+$/, '')
}

/** The n-th candidate of a slug: `shop`, `shop-2`, `shop-3`, … The suffix comes after the cut. */
export const slugCandidate = (base: string, n: number): string => (n === 1 ? base : `${base}-${n}`)

/** What cannot be a slug names nothing, and nobody is asked about it. */
export const isSlug = (text: string): boolean => text.length <= longestSlug && form.test(text)

const form = /^[\p{L}\p{Nd}]+(?:-[\p{L}\p{Nd}]+)*$/u
/** UTF-16 units: two a character, and a suffix. */
export const longestSlug = 2 * limits.directory.slugCharacters + 8
