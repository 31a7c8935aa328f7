// Where a sign-in at an OIDC provider begins and ends, and where people may be sent afterwards.
import { limits } from '#shared/limits.ts'

export const oidcStartPath = '/session/oidc/start'
export const oidcCallbackPath = '/session/oidc/callback'

/** A path of this very origin, made plain; anything else becomes `/`. Nobody is ever sent to another site. */
export function localPath(given: string | null): string {
  if (given === null || !/^\/(?![/\\])/.test(given) || /[\\\p{Cc}]/u.test(given) || !URL.canParse(given, here)) return '/'
  const { origin, pathname, search, hash } = new URL(given, here)
  const path = `${pathname}${search}${hash}`
  if (path.length > limits.sessionApi.returnToCharacters) return '/'
  return origin === here && !pathname.startsWith('//') ? path : '/'
}

const here = 'http://here.invalid'
