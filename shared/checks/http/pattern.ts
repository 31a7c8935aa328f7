// Patterns of RE2's syntax, which no text makes slow in more than proportion to its length. The library is loaded with the first pattern.
import { createRequire } from 'node:module'
import type { RE2JS } from 're2js'
import { patternLimits } from '#shared/limits/pattern-limits.ts'

let library: typeof RE2JS | null = null
const prepared = new Map<string, RE2JS>()

/** Whether the text is a pattern that checks may use. */
export function isPattern(text: string): boolean {
  try {
    return stepsOf(text) <= patternLimits.steps && prepare(text) !== null
  } catch {
    return false
  }
}

/** Whether the pattern matches any part of the text. Throws for a text that is no pattern. May take a second. */
export const hasMatch = (pattern: string, text: string): boolean => prepare(pattern).test(text)

function prepare(text: string): RE2JS {
  const known = prepared.get(text)
  if (known !== undefined) return known
  library ??= (createRequire(import.meta.url)('re2js') as { RE2JS: typeof RE2JS }).RE2JS
  const made = library.compile(text)
  if (prepared.size >= patternLimits.kept) prepared.clear()
  prepared.set(text, made)
  return made
}

/** A quoted text, an escape, a class, a number of repetitions, or one character. */
const token = /\\Q[\s\S]*?(?:\\E|$)|\\[\s\S]|\[\^?\]?(?:\\[\s\S]|\[:\^?\w+:\]|[^\]\\])*\]|\{(\d+)(?:,(\d*))?\}|[\s\S]/g

/** Returns about how many steps the pattern has with its repetitions written out. The text need not be a pattern. */
export function stepsOf(text: string): number {
  const groups = [0]
  let last = 0
  const add = (steps: number) => groups.push((groups.pop() ?? 0) + steps)
  for (const [found, least, most] of text.matchAll(token)) {
    if (least !== undefined) {
      const times = Math.max(Number(least), Number(most ?? 0))
      add(last * (times - 1))
      last *= times
    } else if (found === '(') {
      groups.push(0)
    } else if (found === ')' && groups.length > 1) {
      last = groups.pop() ?? 0
      add(last)
    } else {
      last = found.startsWith('\\Q') ? found.length : 1
      add(last)
    }
  }
  return groups.reduce((sum, steps) => sum + steps, 0)
}
