// Conversion of texts from outside into a part of one line. Pure, because a browser loads it too.

/** Returns the text without characters that begin a line, move the cursor, or hide adjacent text. */
export const oneLine = (text: string): string => text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ')
