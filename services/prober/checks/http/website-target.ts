// The target of a website monitor. Its request is never changed by a redirect. Never opens a connection.
import type { WebsiteEntry } from '#shared/checks/website/website.ts'
import { basicCredentials } from '#shared/net/url-credentials.ts'
import { canBeSent, httpUrl, requestOf, type Target, targetOf } from './target.ts'

/** Returns null if the entry's address is not an HTTP or HTTPS URL. Credentials of the URL become the Authorization header. */
export function websiteTarget(entry: WebsiteEntry, userAgent: string): Target | null {
  const url = httpUrl(entry.url)
  if (url === null) return null
  const lines = linesOf(entry, url, userAgent)
  return targetOf(url, {
    ipFamily: 'any',
    verify: true,
    authority: '',
    method: entry.method,
    request: lines === null ? null : requestOf(entry.method, url, lines, entry.data),
    statuses: entry.statuses.map(status => [status, status] as const),
    contains: entry.expectedText,
    further: null,
  })
}

function linesOf({ data, contentType }: WebsiteEntry, url: URL, userAgent: string): string[] | null {
  const lines = [`host: ${url.host}`, 'connection: close', `user-agent: ${userAgent}`, 'accept: */*']
  if (data !== '' && contentType !== '') {
    if (!canBeSent(contentType)) return null
    lines.push(`content-type: ${contentType}`)
  }
  const credentials = basicCredentials(url)
  if (credentials !== null) lines.push(`authorization: Basic ${credentials}`)
  return lines
}
