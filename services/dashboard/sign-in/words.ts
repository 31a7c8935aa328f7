// Sentences of the sign-in page, and the path to open after the sign-in.

const sentences: Readonly<Record<string, string>> = {
  cancelled: 'The sign-in was cancelled at the provider.',
  expired: 'The sign-in took longer than ten minutes, or began in another browser. Start again.',
  refused: 'The answer of the provider was refused. The log of Watchkeeper has the reason.',
  provider_unavailable: 'The provider cannot be reached. Try again, or sign in by password.',
  disabled: 'This account is disabled. An administrator can enable it.',
  busy: 'Too many sign-ins are under way. Try again in a moment.',
  internal: 'The sign-in failed. The log of Watchkeeper has the reason.',
}

/** Returns a sentence about a failed sign-in at a provider. `word`: error code in the page's address. */
export const signInSentence = (word: string): string => sentences[word] ?? 'The sign-in failed. Try again.'

/** Returns the path if it belongs to this origin, else `/`. */
export function returnPath(given: string | null): string {
  const here = 'http://here.invalid'
  if (given === null || !/^\/(?![/\\])/.test(given) || !URL.canParse(given, here)) return '/'
  const { origin, pathname, search, hash } = new URL(given, here)
  return origin === here && !pathname.startsWith('//') ? `${pathname}${search}${hash}` : '/'
}
