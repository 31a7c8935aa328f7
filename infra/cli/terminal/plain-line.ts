// Lines cut to the width of a terminal. Pure.

/** Returns the line with at most `columns` columns; `…` replaces the rest. */
export function cutTo(line: string, columns: number): string {
  let width = 0
  let kept = ''
  for (const character of line) {
    const next = width + widthOf(character)
    if (next > columns) return `${withoutLast(kept, columns)}…`
    width = next
    kept += character
  }
  return line
}

function withoutLast(kept: string, columns: number): string {
  const characters = [...kept]
  const width = () => characters.reduce((sum, character) => sum + widthOf(character), 0)
  while (characters.length > 0 && width() >= columns) characters.pop()
  return characters.join('')
}

/**
 * Returns the columns that a terminal uses: 2 for wide East Asian characters and emoji, 0 for joiners and for marks on the previous
 * character, 1 for all others.
 */
function widthOf(character: string): number {
  if (/[\p{M}\p{Cf}]/u.test(character)) return 0
  return /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|\p{Emoji_Presentation}|[\u{20000}-\u{3fffd}]/u.test(
    character,
  )
    ? 2
    : 1
}
