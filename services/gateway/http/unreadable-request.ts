// Refusals of bytes that form no complete request: too large headers, no HTTP, a late request, or an unsupported expectation. The refusal
// has the form that the dialect of the path prescribes. The key is not checked. A CONNECT request has no path; Node closes the connection.
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { FastifyHttpOptions, RawServerDefault } from 'fastify'
import { http } from '#shared/net/node-http.ts'
import { type Dialect, dialectOf, type Refusal, type UnreadableReason } from './dialect.ts'

type Handler = NonNullable<FastifyHttpOptions<RawServerDefault>['clientErrorHandler']>

/** Internal state of a connection in Node: the current response, and the latest request. */
interface HttpSocket extends Duplex {
  _httpMessage?: ServerResponse | null
  parser?: { incoming: IncomingMessage | null } | null
}

/**
 * Parser error of Node. `rawPacket`: last bytes of the connection. `bytesParsed`: number of these bytes that were parsed before the error.
 */
interface ParseError extends Error {
  code?: string
  rawPacket?: Buffer
  bytesParsed?: number
}

/** Connections that got a refusal, or whose refusal waits for earlier responses. Further errors of these connections are ignored. */
const refused = new WeakSet<Duplex>()

/** Sends the refusal after earlier responses if the connection is still open, then closes the connection. */
export const refuseUnreadable =
  (dialects: readonly Dialect[]): Handler =>
  (raised: Error, socket) => {
    const error: ParseError = raised
    if (error.code === 'ECONNRESET' || socket.destroyed || refused.has(socket)) return
    refused.add(socket)
    refuseInTurn(dialects, error, socket)
  }

/**
 * Sends the refusal after the responses to the connection's earlier requests. If the refusal came first, the client would take it for the
 * response to an earlier request.
 */
function refuseInTurn(dialects: readonly Dialect[], error: ParseError, socket: HttpSocket): void {
  const answering = socket._httpMessage ?? null
  if (answering?.req.complete) {
    answering.once('close', () => refuseInTurn(dialects, error, socket))
    return
  }
  const path = answering?.req.url ?? pathOf(error)
  const unknown = mayBeApi(error.code, socket) ? dialects[0] : dialects.at(-1)
  const dialect = path === null ? (unknown as Dialect) : dialectOf(dialects, path)
  if (socket.writable && !isAnswered(socket)) socket.write(responseOf(dialect.unreadable(reasonOf(error.code))))
  socket.destroy(error)
}

/** Whether the unreadable bytes are the body of a request whose response has already been sent, fully or in part. */
function isAnswered({ _httpMessage: answering, parser }: HttpSocket): boolean {
  return answering ? answering.headersSent : parser?.incoming?.complete === false
}

/**
 * Listener of the event `checkExpectation`. Node itself handles `Expect: 100-continue`. The connection is closed, because the body that may
 * follow could be read as a new request.
 */
export const refuseExpectation =
  (dialects: readonly Dialect[]) =>
  ({ url = '' }: IncomingMessage, response: ServerResponse): void => {
    const { status, type, text, headers } = written(dialectOf(dialects, url).unreadable('expectation'))
    response.writeHead(status, { 'content-type': type, ...headers, connection: 'close' }).end(text)
  }

const tooLargeCode = 'HPE_HEADER_OVERFLOW'
const lateCode = 'ERR_HTTP_REQUEST_TIMEOUT'
const headEnd = '\r\n\r\n'

/**
 * Whether bytes without a readable path are refused in the API's dialect. The path is missing if the headers are incomplete. The path is
 * also missing if the headers arrive in several pieces, because Node passes only the last piece. A connection that sent nothing is not
 * refused with the API's status 200, because the client could take the 200 for the response to its next request.
 */
const mayBeApi = (code: string | undefined, socket: Duplex): boolean =>
  code === tooLargeCode || (code === lateCode && (socket as Socket).bytesRead > 0)

/**
 * Returns the path from the request line of the unreadable request; null: there is no request line. The request line starts after the
 * parsed bytes. On the same line, the end of the preceding request's body may stand before the request line.
 */
function pathOf({ rawPacket, bytesParsed = 0 }: ParseError): string | null {
  const came = rawPacket?.toString('latin1') ?? ''
  const readTo = came.slice(0, bytesParsed).lastIndexOf(headEnd)
  const unread = readTo < 0 ? came : came.slice(readTo + headEnd.length)
  const [, atStart, further] = /^[A-Z-]{1,20} ([^ \r\n]*)|[A-Z-]{1,20} ([^ \r\n]*) HTTP\//.exec(unread) ?? []
  return atStart ?? further ?? null
}

function reasonOf(code: string | undefined): UnreadableReason {
  if (code === tooLargeCode) return 'headers too large'
  return code === lateCode ? 'late' : 'no http'
}

function written({ status, body, headers = {} }: Refusal) {
  return typeof body === 'string'
    ? { status, headers, type: 'text/plain; charset=utf-8', text: body }
    : { status, headers, type: 'application/json; charset=utf-8', text: JSON.stringify(body) }
}

function responseOf(refusal: Refusal): string {
  const { status, type, text, headers } = written(refusal)
  const head = `HTTP/1.1 ${status} ${http.STATUS_CODES[status]}\r\nContent-Type: ${type}\r\nContent-Length: ${Buffer.byteLength(text)}`
  const more = Object.entries(headers).map(([name, value]) => `\r\n${name}: ${value}`)
  return `${head}${more.join('')}\r\nConnection: close\r\n\r\n${text}`
}
