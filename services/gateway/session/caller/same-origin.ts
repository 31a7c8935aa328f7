// Protection against cross-site request forgery. A change must come from a page of this origin. Headers that only browsers set prove the
// origin. The body of a change must be JSON, because no HTML form can send JSON. So no CSRF token is needed.
import type { FastifyRequest } from 'fastify'
import { SessionError } from './session-error.ts'

const safeMethods = new Set(['GET', 'HEAD', 'OPTIONS'])
const bodyMethods = new Set(['POST', 'PUT', 'PATCH'])

/**
 * Throws cross_origin or unsupported_media_type. At least one of the headers Sec-Fetch-Site and Origin must be present. If both are
 * present, both must state this origin. `publicUrl` is the address that people use. If it is null, the origin is compared with the host in
 * the request.
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
 * Whether `origin` belongs to this installation. If PUBLIC_URL is set, only the origin of PUBLIC_URL is accepted. A match of Origin with
 * Host alone proves nothing: if a foreign name resolves to this machine, both headers contain the foreign name.
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
