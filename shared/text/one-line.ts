// Conversion of a text from outside, so that it fits into one line. Pure, because a browser loads it too.

/**
 * Returns the text without characters that begin a line, move the cursor, or hide adjacent text. A joiner or non-joiner (U+200D, U+200C)
 * stays between two other characters, because words of some scripts and many emoji need it.
 */
export const oneLine = (text: string): string => text.replace(removed, ' ')

const shown = String.raw`[^\s\p{Cc}\p{Cf}]`
const removed = new RegExp(String.raw`(?!(?<=${shown})[\u200c\u200d](?=${shown}))[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+`, 'gu')
