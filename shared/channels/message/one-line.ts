// Conversion of foreign text (the error of a check, the response of a receiver) to one line of a message or a log row.
import { cut } from '#shared/text/plain-text.ts'

/** Returns one line of at most `characters`, without control, formatting and line-breaking characters or broken surrogates. */
export function oneLine(text: string, characters: number): string {
  const line = text
    .toWellFormed()
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu, ' ')
    .trim()
  return cut(line, characters)
}
