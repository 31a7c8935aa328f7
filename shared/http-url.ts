// What counts as an address that can be checked or told (spec D 1, Validation; D 2, Invalid url).

/** An absolute http or https URL with a host, without blanks or control characters, of at most `charactersMax` characters. */
export function isHttpUrl(text: string, charactersMax: number): boolean {
  if (!/^https?:\/\/[^/?#\\]/i.test(text) || hasBlankOrControl(text) || [...text].length > charactersMax) return false
  return URL.canParse(text)
}

const hasBlankOrControl = (text: string): boolean => /[\s\p{Cc}]/u.test(text)
