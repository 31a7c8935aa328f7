// Paths at which a sign-in at an OIDC provider starts and ends, and paths to which people may be redirected afterwards.
import { limits } from '#shared/limits/limits.ts'

export const oidcStartPath = '/session/oidc/start'
export const oidcCallbackPath = '/session/oidc/callback'

/**
 * Returns the normalised path if it belongs to this origin. For any other address returns `/`, so that nobody is redirected to another
 * site.
 */
export function localPath(given: string | null): string {
  if (given === null || !/^\/(?![/\\])/.test(given) || /[\\\p{Cc}]/u.test(given) || !URL.canParse(given, here)) return '/'
  const { origin, pathname, search, hash } = new URL(given, here)
  const path = `${pathname}${search}${hash}`
  if (path.length > limits.sessionApi.returnToCharacters) return '/'
  return origin === here && !pathname.startsWith('//') ? path : '/'
}

const here = 'http://here.invalid'
