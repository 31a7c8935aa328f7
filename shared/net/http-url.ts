// Form of the URLs to which checks and messages are sent (reference/website-monitors 2.1; reference/messages 1.4).

/**
 * Returns true for an absolute http or https URL with a host, without blanks or control characters, of at most `charactersMax` characters.
 */
export function isHttpUrl(text: string, charactersMax: number): boolean {
  if (!/^https?:\/\/[^/?#\\]/i.test(text) || hasBlankOrControl(text) || [...text].length > charactersMax) return false
  return URL.canParse(text)
}

const hasBlankOrControl = (text: string): boolean => /[\s\p{Cc}]/u.test(text)
