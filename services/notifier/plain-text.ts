// Foreign text (a check's error, a receiver's answer) made safe to stand in one line of a message or a log row.

/** One line without control, formatting and line-breaking characters or broken surrogates, at most `characters` long. */
export function oneLine(text: string, characters: number): string {
  const line = text
    .toWellFormed()
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu, ' ')
    .trim()
  return cut(line, characters)
}

/** At most `characters` code points; what is cut off is shown by an ellipsis, which counts. */
export function cut(text: string, characters: number): string {
  if (text.length <= characters) return text
  const points = [...text]
  return points.length <= characters ? text : `${points.slice(0, characters - 1).join('')}…`
}
