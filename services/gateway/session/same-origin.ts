// Cross-site request forgery: whatever changes something must prove that a page of this very origin sent it, by the headers that a
// browser sets and no page can, and must be JSON, which no form can send. No token is needed beside that.
import type { FastifyRequest } from 'fastify'
import { SessionError } from './session-error.ts'

const safeMethods = new Set(['GET', 'HEAD', 'OPTIONS'])
const bodyMethods = new Set(['POST', 'PUT', 'PATCH'])

/**
 * Throws cross_origin or unsupported_media_type. At least one of Sec-Fetch-Site and Origin must be there; each that is there must
 * say "same origin". `publicUrl` is the address that people use; null: the host that the request names.
 */
export function requireSameOrigin(request: FastifyRequest, publicUrl: string | null): void {
  if (safeMethods.has(request.method)) return
  const site = single(request.headers['sec-fetch-site'])
  const origin = single(request.headers.origin)
  if (site === undefined && origin === undefined) {
    throw refusal('Send the header Origin with the address of this installation, as a browser does.')
  }
  if (site !== undefined && site !== 'same-origin') throw refusal('The request comes from a page of another origin.')
  if (origin !== undefined && !isOwnOrigin(origin, request.host, publicUrl)) {
    const advice =
      publicUrl === null
        ? ' Behind a proxy, set PUBLIC_URL to the address that people use.'
        : ' Use the address that PUBLIC_URL names.'
    throw refusal(`The header Origin does not name this installation.${advice}`)
  }
  demandJson(request)
}

/**
 * The origin of PUBLIC_URL alone, where that is set. Host is as little proof as the request itself: a name of somebody else's that was
 * made to resolve here stands in both headers.
 */
export function isOwnOrigin(origin: string, host: string | undefined, publicUrl: string | null): boolean {
  if (!/^https?:\/\//.test(origin) || !URL.canParse(origin)) return false
  const given = new URL(origin)
  if (given.origin !== origin.toLowerCase()) return false
  if (publicUrl !== null) return given.origin === new URL(publicUrl).origin
  return host !== undefined && given.host === withoutDefaultPort(host.toLowerCase(), given.protocol)
}

function demandJson(request: FastifyRequest): void {
  if (!bodyMethods.has(request.method)) return
  const type = request.headers['content-type']?.split(';')[0]?.trim().toLowerCase()
  if (type === 'application/json') return
  throw new SessionError('unsupported_media_type', 'Unsupported content type', 'The Content-Type must be application/json.')
}

const withoutDefaultPort = (host: string, protocol: string): string => host.replace(protocol === 'https:' ? /:443$/ : /:80$/, '')

const single = (header: string | string[] | undefined): string | undefined => (Array.isArray(header) ? header.join(',') : header)

const refusal = (details: string): SessionError => new SessionError('cross_origin', 'Cross-origin request refused', details)
