// What never becomes a request: headers beyond all bounds, no HTTP, what does not end in time, an expectation that nobody meets. Under
// /api it is refused in the envelope of generations 1 and 2, with HTTP 200, as everything there is (spec D, general rules); no key can
// be looked at before. CONNECT names a host and no path, so it is nothing of /api: Node closes its connection.
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { FastifyHttpOptions, RawServerDefault } from 'fastify'
import { AppError } from '#shared/errors.ts'
import { limits } from '#shared/limits.ts'
import { isApiPath } from './api-path.ts'
import { failure } from './envelope.ts'
import { tooLargeMessage } from './json-body.ts'

type Handler = NonNullable<FastifyHttpOptions<RawServerDefault>['clientErrorHandler']>

/** Answers where somebody still listens, and closes the connection. */
export const refuseUnreadable: Handler = (error, socket) => {
  const { code, rawPacket } = error as unknown as { code?: string; rawPacket?: Buffer }
  if (code === 'ECONNRESET' || socket.destroyed) return
  const path = unfinishedPath(socket) ?? pathOf(rawPacket)
  const isApi = path === null ? mayBeApi(code, socket) : isApiPath(path)
  if (socket.writable) socket.write(isApi ? apiAnswer(code) : plainAnswer(code))
  socket.destroy(error)
}

/** A `checkExpectation` listener; `Expect: 100-continue` never comes here. Whether a body follows is open, so that the connection ends. */
export function refuseExpectation({ url = '' }: IncomingMessage, response: ServerResponse): void {
  const [status, type, body] = isApiPath(url)
    ? [200, jsonType, envelope('Invalid request', 'The only expectation that is met is 100-continue')]
    : [417, textType, 'Expectation Failed\n']
  response.writeHead(status, { 'content-type': type, connection: 'close' }).end(body)
}

const tooLargeCode = 'HPE_HEADER_OVERFLOW'
const lateCode = 'ERR_HTTP_REQUEST_TIMEOUT'
const jsonType = 'application/json; charset=utf-8'
const textType = 'text/plain; charset=utf-8'

/**
 * Whether what names no path is answered as the API's. Of headers that came in pieces only the last piece is here, and nothing of those
 * that did not end. A connection that sent nothing asked nothing: it could take a 200 for the answer to what it sends next.
 */
const mayBeApi = (code: string | undefined, socket: Duplex): boolean =>
  code === tooLargeCode || (code === lateCode && (socket as Socket).bytesRead > 0)

/** Of the request whose body is still coming: Node keeps its answer at the connection. Null where there is none. */
function unfinishedPath(socket: Duplex): string | null {
  const request = (socket as Duplex & { _httpMessage?: ServerResponse | null })._httpMessage?.req
  return request === undefined || request.complete ? null : (request.url ?? null)
}

/** Of the request line at the beginning of what came; null where there is none. */
const pathOf = (packet: Buffer | undefined): string | null =>
  /^[A-Z-]{1,20} ([^ \r\n]*)/.exec(packet?.toString('latin1', 0, 64) ?? '')?.[1] ?? null

function apiAnswer(code: string | undefined): string {
  const [message, details] =
    code === tooLargeCode
      ? [tooLargeMessage, `The request line and its headers have at most ${limits.http.headerBytes} bytes`]
      : ['Invalid request', code === lateCode ? 'The request did not end in time' : 'The request is no valid HTTP']
  return answer('200 OK', jsonType, envelope(message, details))
}

function plainAnswer(code: string | undefined): string {
  const status =
    code === tooLargeCode ? '431 Request Header Fields Too Large' : code === lateCode ? '408 Request Timeout' : '400 Bad Request'
  return answer(status, textType, `${status.slice(4)}\n`)
}

const envelope = (message: string, details: string): string =>
  JSON.stringify(failure(new AppError('malformed', message, { details })))

const answer = (status: string, type: string, body: string): string =>
  `HTTP/1.1 ${status}\r\nContent-Type: ${type}\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`
