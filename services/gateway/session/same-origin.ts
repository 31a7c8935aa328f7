// Cross-site request forgery: whatever changes something must prove that a page of this very origin sent it, by the headers that a
// browser sets and no page can, and must be JSON, which no form can send. No token is needed beside that.
import type { FastifyRequest } from 'fastify'
import { SessionError } from './session-error.ts'

const safeMethods = new Set(['GET', 'HEAD', 'OPTIONS'])
const bodyMethods = new Set(['POST', 'PUT', 'PATCH'])

/**
 * Throws cross_origin or unsupported_media_type. At least one of Sec-Fetch-Site and Origin must be there; each that is there must
 * say "same origin". `publicUrl` is what people's browsers see where a proxy stands in between; null: what the request says.
 */
export function demandSameOrigin(request: FastifyRequest, publicUrl: string | null): void {
  if (safeMethods.has(request.method)) return
  const site = single(request.headers['sec-fetch-site'])
  const origin = single(request.headers.origin)
  if (site === undefined && origin === undefined) {
    throw refusal('Send the header Origin with the address of this installation, as a browser does.')
  }
  if (site !== undefined && site !== 'same-origin') throw refusal('The request comes from a page of another origin.')
  if (origin !== undefined && !isOwnOrigin(origin, request.host, publicUrl)) {
    const advice = publicUrl === null ? ' Behind a proxy, set PUBLIC_URL to the address that people use.' : ''
    throw refusal(`The header Origin does not name this installation.${advice}`)
  }
  demandJson(request)
}

/** On the public host the scheme counts too: a page that came by http may be anybody's. */
export function isOwnOrigin(origin: string, host: string | undefined, publicUrl: string | null): boolean {
  if (!/^https?:\/\//.test(origin) || !URL.canParse(origin)) return false
  const given = new URL(origin)
  if (given.origin !== origin.toLowerCase()) return false
  const known = publicUrl === null ? null : new URL(publicUrl)
  if (known && (given.host === known.host || host?.toLowerCase() === known.host)) return given.origin === known.origin
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
