// PING_HOST: a host at whose root ping addresses are, so that they are short. A request for `/<uuid>` there is one for `/ping/<uuid>`.
import type { IncomingMessage } from 'node:http'
import { isUuid } from '#shared/text/uuid.ts'
import { proxyCheck } from '../http/trusted-proxies.ts'

const uuidLength = 36

/** Returns the function that rewrites the target of a request. `trustProxy`: proxies that may state the host. */
export function pingHostRewrite(host: string, trustProxy: readonly string[]): (request: IncomingMessage) => string {
  const isProxy = proxyCheck(trustProxy)
  return ({ url = '/', headers, socket }) => {
    const end = url.charAt(uuidLength + 1)
    if (!isUuid(url.slice(1, uuidLength + 1)) || (end !== '' && end !== '/' && end !== '?')) return url
    const forwarded = isProxy(socket.remoteAddress ?? '') ? [headers['x-forwarded-host'] ?? []].flat().join(',') : ''
    const named = forwarded === '' ? (headers.host ?? '') : (forwarded.split(',', 1)[0] as string)
    return hostOf(named) === host ? `/ping${url}` : url
  }
}

/** Returns the host without its port, in lower case. */
const hostOf = (named: string): string => named.trim().toLowerCase().replace(/:\d+$/, '').replace(/\.$/, '')

/** Parses the setting; null: it is unset. Throws an Error whose message completes the sentence "PING_HOST …". */
export function parsePingHost(value: string): string | null {
  if (value === '') return null
  const host = value.toLowerCase()
  if (host.length <= 253 && /^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$|^\[[0-9a-f:.]+\]$/.test(host)) return host
  throw new Error('must be the name of a host such as ping.example.com, without a scheme or a port')
}
