// Short texts: how one that people type is stored and looked up (names that look the same are the same), and how a long one is cut.

/** Composed (NFC) and without blanks around it. */
export const plainText = (text: string): string => text.normalize('NFC').trim()

/**
 * Whether a name has characters that nobody sees or that change how the rest is read: control characters, line separators, unpaired
 * surrogates, invisible format characters, and those that turn the direction of writing. Joiners of scripts and emoji and the tags of
 * flags are none.
 */
export const hasHiddenCharacters = (text: string): boolean => hidden.test(text.replace(flag, ''))

const hidden = new RegExp(
  [
    /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]/u,
    // Soft hyphen, Arabic letter mark, Mongolian separator, zero-width space, direction marks, embeddings, overrides.
    /[\u00ad\u061c\u180e\u200b\u200e\u200f\u202a-\u202e]/u,
    // Word joiner, invisible operators, isolates, deprecated format characters, byte order mark, annotations, tags.
    /[\u2060-\u206f\ufeff\ufff9-\ufffb]|[\u{e0000}-\u{e007f}]/u,
  ]
    .map(({ source }) => source)
    .join('|'),
  'u',
)
/** A black flag with the tags of a region, such as that of Wales. */
const flag = /\u{1f3f4}[\u{e0030}-\u{e0039}\u{e0061}-\u{e007a}]{1,8}\u{e007f}/gu

/** The first so many characters (code points, none of them broken); nothing shows that more came. */
export const firstCharacters = (text: string, characters: number): string =>
  text.length <= characters ? text : [...text].slice(0, characters).join('')

/** At most `characters` code points, none of them broken; what is cut off is shown by an ellipsis, which counts. */
export function cut(text: string, characters: number): string {
  if (text.length <= characters) return text
  const points = [...text]
  return points.length <= characters ? text : `${points.slice(0, characters - 1).join('')}…`
}
