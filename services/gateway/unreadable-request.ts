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

/** What Node keeps at a connection: the answer whose turn it is, and the request that was read last. */
interface HttpSocket extends Duplex {
  _httpMessage?: ServerResponse | null
  parser?: { incoming: IncomingMessage | null } | null
}

/** Node tells what came last, and how much of it was read before the fault. */
interface ParseError extends Error {
  code?: string
  rawPacket?: Buffer
  bytesParsed?: number
}

/** Connections with a refusal that waits for its turn: all that they still send is unreadable. */
const refused = new WeakSet<Duplex>()

/** Answers where somebody still listens, in its turn, and closes the connection. */
export const refuseUnreadable: Handler = (raised: Error, socket) => {
  const error: ParseError = raised
  if (error.code === 'ECONNRESET' || socket.destroyed || refused.has(socket)) return
  refused.add(socket)
  refuseInTurn(error, socket)
}

/** What was asked before on the same connection is answered first: a refusal that came earlier would be taken for its answer. */
function refuseInTurn(error: ParseError, socket: HttpSocket): void {
  const answering = socket._httpMessage ?? null
  if (answering?.req.complete) {
    answering.once('close', () => refuseInTurn(error, socket))
    return
  }
  const { code } = error
  const path = answering?.req.url ?? pathOf(error)
  const isApi = path === null ? mayBeApi(code, socket) : isApiPath(path)
  if (socket.writable && !isAnswered(socket)) socket.write(isApi ? apiAnswer(code) : plainAnswer(code))
  socket.destroy(error)
}

/** Whether what cannot be read on is the body of a request that has its answer, or the beginning of it. */
function isAnswered({ _httpMessage: answering, parser }: HttpSocket): boolean {
  return answering ? answering.headersSent : parser?.incoming?.complete === false
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
const headEnd = '\r\n\r\n'
const jsonType = 'application/json; charset=utf-8'
const textType = 'text/plain; charset=utf-8'

/**
 * Whether what names no path is answered as the API's. Of headers that came in pieces only the last piece is here, and nothing of those
 * that did not end. A connection that sent nothing asked nothing: it could take a 200 for the answer to what it sends next.
 */
const mayBeApi = (code: string | undefined, socket: Duplex): boolean =>
  code === tooLargeCode || (code === lateCode && (socket as Socket).bytesRead > 0)

/** Of the request line behind all that was read of what came; null where there is none. A body before it may end on its line. */
function pathOf({ rawPacket, bytesParsed = 0 }: ParseError): string | null {
  const came = rawPacket?.toString('latin1') ?? ''
  const readTo = came.slice(0, bytesParsed).lastIndexOf(headEnd)
  const unread = readTo < 0 ? came : came.slice(readTo + headEnd.length)
  const [, atStart, further] = /^[A-Z-]{1,20} ([^ \r\n]*)|[A-Z-]{1,20} ([^ \r\n]*) HTTP\//.exec(unread) ?? []
  return atStart ?? further ?? null
}

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
