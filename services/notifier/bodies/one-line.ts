// Foreign text (a check's error, a receiver's answer) made safe to stand in one line of a message or a log row.
import { cut } from '#shared/text/plain-text.ts'

/** One line without control, formatting and line-breaking characters or broken surrogates, at most `characters` long. */
export function oneLine(text: string, characters: number): string {
  const line = text
    .toWellFormed()
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu, ' ')
    .trim()
  return cut(line, characters)
}
