// Short texts: how one that people type is stored and looked up (names that look the same are the same), and how a long one is cut.

/** Composed (NFC) and without blanks around it. */
export const plainText = (text: string): string => text.normalize('NFC').trim()

/** The first so many characters (code points, none of them broken); nothing shows that more came. */
export const firstCharacters = (text: string, characters: number): string =>
  text.length <= characters ? text : [...text].slice(0, characters).join('')

/** At most `characters` code points, none of them broken; what is cut off is shown by an ellipsis, which counts. */
export function cut(text: string, characters: number): string {
  if (text.length <= characters) return text
  const points = [...text]
  return points.length <= characters ? text : `${points.slice(0, characters - 1).join('')}…`
}
