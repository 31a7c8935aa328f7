// Short texts that people type. Normalises names, so that names that look equal are equal. Detects hidden characters, and cuts long texts.

export const plainText = (text: string): string => text.normalize('NFC').trim()

/**
 * Returns true if a name contains invisible characters, or characters that change how the rest of the name is displayed. These are control
 * characters, line separators, unpaired surrogates, invisible format characters and direction marks. Allowed are the joiners that scripts
 * and emoji need, and the tags of flags.
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
/** A black flag with the tags of a region, such as the flag of Wales. */
const flag = /\u{1f3f4}[\u{e0030}-\u{e0039}\u{e0061}-\u{e007a}]{1,8}\u{e007f}/gu

/** Returns the first `characters` code points, without a sign that text was cut off. */
export const firstCharacters = (text: string, characters: number): string =>
  text.length <= characters ? text : [...text].slice(0, characters).join('')

/** Returns at most `characters` code points. An ellipsis replaces text that was cut off, and counts as a code point. */
export function cut(text: string, characters: number): string {
  if (text.length <= characters) return text
  const points = [...text]
  return points.length <= characters ? text : `${points.slice(0, characters - 1).join('')}…`
}
