// Redirects of a check over HTTP: which request follows a response. Pure. Reference: docs/reference/v3.md, 3.20.
import { limits } from '#shared/limits/limits.ts'

/** A request of a check, as far as redirects change it. */
export interface Hop {
  url: URL
  method: string
  /** Whether the body of the check is sent. */
  hasBody: boolean
  /** Whether the request goes where the check was pointed, so that it carries the check's credentials. Later requests never do again. */
  isOwn: boolean
}

export interface RedirectRules {
  /** Largest number of redirects that are followed. */
  redirects: number
  /** Whether certificates are verified. */
  verify: boolean
}

const redirecting: ReadonlySet<number> = new Set([301, 302, 303, 307, 308])

export const isRedirect = (statusCode: number): boolean => redirecting.has(statusCode)

/**
 * Returns the request that follows a redirect, or the sentence of a redirect that cannot be followed. `location`: the header's bytes as
 * latin1, empty if there is none. `followed`: number of redirects that were followed before this one.
 */
export function nextHop(
  hop: Hop,
  { statusCode, location }: { statusCode: number; location: string },
  followed: number,
  { redirects, verify }: RedirectRules,
): Hop | string {
  if (followed >= redirects) return `more than ${redirects} redirects`
  const url = addressOf(location, hop.url)
  if (url === null) return 'redirect without a usable address'
  if (verify && hop.url.protocol === 'https:' && url.protocol === 'http:') return 'redirected from https to http'
  const isGet = statusCode === 303 ? hop.method !== 'HEAD' : statusCode < 303 && hop.method === 'POST'
  const next = { url, method: isGet ? 'GET' : hop.method, hasBody: hop.hasBody && !isGet && statusCode !== 303 }
  const isOwn = hop.isOwn && url.origin === hop.url.origin
  return next.hasBody && !isOwn ? 'redirected to another origin, which must not get the body' : { ...next, isOwn }
}

/** Returns the address without user information; null: it is missing, too long, or no HTTP or HTTPS URL. */
function addressOf(location: string, from: URL): URL | null {
  if (location === '' || location.length > limits.check.locationCharacters) return null
  // Bytes beyond ASCII go on as they came, as in curl.
  const escaped = location.replace(/[\u0080-\u00ff]/g, byte => `%${byte.charCodeAt(0).toString(16).toUpperCase()}`)
  const url = URL.parse(escaped, from.href)
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:')) return null
  url.username = ''
  url.password = ''
  return url
}
