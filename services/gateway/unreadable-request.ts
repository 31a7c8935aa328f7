// What never becomes a request: headers beyond all bounds, or no HTTP. Under /api it is refused in the envelope of generations 1 and 2,
// with HTTP 200, as everything there is (spec D, general rules); no key can be looked at before.
import type { FastifyHttpOptions, RawServerDefault } from 'fastify'
import { AppError } from '#shared/errors.ts'
import { limits } from '#shared/limits.ts'
import { failure } from './envelope.ts'
import { tooLargeMessage } from './json-body.ts'

type Handler = NonNullable<FastifyHttpOptions<RawServerDefault>['clientErrorHandler']>

/** Answers where somebody still listens, and closes the connection. */
export const refuseUnreadable: Handler = (error, socket) => {
  const { code, rawPacket } = error as unknown as { code?: string; rawPacket?: Buffer }
  if (code === 'ECONNRESET' || socket.destroyed) return
  const isTooLarge = code === tooLargeCode
  // Of headers that came in pieces only the last piece is here.
  const path = pathOf(rawPacket)
  const isApi = path === null ? isTooLarge : /^\/api(?:[/?]|$)/.test(path)
  const answer = isApi ? envelope(isTooLarge) : plain(code)
  if (socket.writable) socket.write(answer)
  socket.destroy(error)
}

const tooLargeCode = 'HPE_HEADER_OVERFLOW'

/** Of the request line at the beginning of what came; null where there is none. */
const pathOf = (packet: Buffer | undefined): string | null =>
  /^[A-Z-]{1,20} ([^ \r\n]*)/.exec(packet?.toString('latin1', 0, 64) ?? '')?.[1] ?? null

function envelope(isTooLarge: boolean): string {
  const error = isTooLarge
    ? new AppError('malformed', tooLargeMessage, {
        details: `The request line and its headers have at most ${limits.http.headerBytes} bytes`,
      })
    : new AppError('malformed', 'Invalid request', { details: 'The request is no valid HTTP' })
  return response('200 OK', 'application/json; charset=utf-8', JSON.stringify(failure(error)))
}

function plain(code: string | undefined): string {
  const status =
    code === tooLargeCode ? '431 Request Header Fields Too Large' : timeouts.has(code) ? '408 Request Timeout' : '400 Bad Request'
  return response(status, 'text/plain; charset=utf-8', `${status.slice(4)}\n`)
}

const timeouts = new Set<string | undefined>(['ERR_HTTP_REQUEST_TIMEOUT'])

const response = (status: string, type: string, body: string): string =>
  `HTTP/1.1 ${status}\r\nContent-Type: ${type}\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`
