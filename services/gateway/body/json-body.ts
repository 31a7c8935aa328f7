// Reader of a request's JSON body. The body is read only after key, route, workspace, object and role were checked. This reader, not the
// framework, checks size, content type and encoding, in the order of reference/envelope 4.2.

import { isUtf8 } from 'node:buffer'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { once } from '#shared/async/once.ts'
import { refusal } from '#shared/errors.ts'
import { isObject } from '#shared/json-shape/is-object.ts'
import { limits } from '#shared/limits/limits.ts'
import type { BodyBudget } from '../http/body-budget.ts'
import { senderOf } from '../http/connections.ts'
import { KeptBytes } from '../http/kept-bytes.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /**
     * Second check of the sender's rights, run after the body has arrived. The hook that accepted the request's headers sets this function.
     * The function rejects if the sender has lost a right since the headers arrived. Null: no second check is needed.
     */
    confirmSender: (() => Promise<void>) | null
    /** Budget of the bytes of bodies that the gateway holds at once. */
    readonly bodies: BodyBudget
  }
}

export interface SentJson {
  body: Record<string, unknown>
  text: string
}

/**
 * Reads the body at the first call and returns the same object at later calls. An empty or missing body is `{}`. Rejects with `malformed`
 * (2006) for a body that is too large, of another content type, encoded, not UTF-8, not JSON, or not an object.
 */
export const jsonOnce = (request: FastifyRequest, reply: FastifyReply): (() => Promise<SentJson>) =>
  once(() => readObjectAndText(request, reply))

async function readObjectAndText(request: FastifyRequest, reply: FastifyReply): Promise<SentJson> {
  const text = await readBodyText(request, reply)
  if (text.trim() === '') return { body: {}, text: '{}' }
  requireJson(request)
  const value = parseJson(text)
  if (isObject(value)) return { body: value, text }
  throw invalidJson('The body must be a JSON object')
}

/** Throws `validation` (2001) if the body has at least one byte, even if the headers announce no body (reference/incidents 6.7). */
export async function requireNoBody(request: FastifyRequest, reply: FastifyReply): Promise<void> {
  const size = await readChunks(request, reply, new KeptBytes(), 0).catch(() => 1)
  if (size > limits.http.discardBytes) reply.header('connection', 'close')
  await requireWanted(request, reply)
  if (size === 0) return
  throw refusal('validation', 'This request takes no body', 'Send the request without a body')
}

export const tooLarge = (details: string) => refusal('too_large', 'Request too large', details)

export const invalidJson = (details: string) => refusal('malformed', 'Invalid JSON', details)

/**
 * Returns the text of the body; empty if the request has no body. Throws `malformed` for a Content-Encoding or invalid UTF-8, `too_large`
 * for more than `maxBytes` bytes, and `busy` if the process holds too many bytes of bodies.
 */
export async function readBodyText(
  request: FastifyRequest,
  reply: FastifyReply,
  maxBytes: number = limits.http.bodyBytes,
): Promise<string> {
  const encoding = request.headers['content-encoding']
  if (encoding !== undefined && encoding.toLowerCase() !== 'identity') {
    throw refusal('malformed', 'Unsupported encoding', 'The body must be sent without a content encoding')
  }
  const chunks = new KeptBytes()
  const size = await readChunks(request, reply, chunks, maxBytes)
  if (size > Math.max(maxBytes, limits.http.discardBytes)) reply.header('connection', 'close')
  await requireWanted(request, reply)
  if (size > maxBytes) {
    throw tooLarge(`A request body has at most ${maxBytes} bytes`)
  }
  // The listeners of a request may outlive its response, and must not keep its bytes.
  const bytes = chunks.take()
  if (isUtf8(bytes)) return bytes.toString('utf8')
  throw invalidJson('The body is not UTF-8')
}

/**
 * Throws if the sender has lost a right since the headers arrived, because a body may arrive much later than its headers. Throws also if a
 * response was already sent, because the sender has then seen the request fail.
 */
async function requireWanted({ confirmSender }: FastifyRequest, reply: FastifyReply): Promise<void> {
  await confirmSender?.()
  if (reply.sent) throw refusal('unavailable', 'Too slow', 'The request ended after its answer')
}

/**
 * Collects at most the allowed number of bytes in `chunks`, and returns the number of bytes that were received. Rejects with `malformed` if
 * the sender aborts, and with `busy` if the body gives way to others. The rest of a far larger body is left unread. The request is not
 * destroyed, because that would close the connection before the refusal is sent.
 */
function readChunks(request: FastifyRequest, reply: FastifyReply, chunks: KeptBytes, maxBytes: number): Promise<number> {
  const { raw } = request
  return new Promise((resolve, reject) => {
    let size = 0
    let isSettled = false
    const refuse = (error: unknown) => {
      if (isSettled) return
      isSettled = true
      chunks.clear()
      kept.release()
      reject(error)
    }
    const kept = request.bodies.begin(senderOf(request), error => {
      // The rest stays unread: reading it would take as long as reading a body that is wanted.
      raw.pause()
      if (!reply.sent) reply.header('connection', 'close')
      refuse(error)
    })
    const complete = () => {
      if (isSettled) return
      isSettled = true
      kept.complete()
      resolve(size)
    }
    // An aborted request emits only `close`. A complete request emits `end` before `close`.
    const broken = () => refuse(invalidJson('The body ended before its announced length'))
    const take = (chunk: Buffer) => {
      if (isSettled) return
      size += chunk.length
      if (size > maxBytes) {
        chunks.clear()
        kept.release()
      } else {
        chunks.add(chunk)
        kept.keep(chunk.length)
      }
      if (isSettled || size <= Math.max(maxBytes, limits.http.discardBytes)) return
      raw.pause()
      complete()
    }
    if (raw.readableEnded) return complete()
    if (raw.destroyed) return broken()
    reply.raw.once('close', kept.release)
    raw.on('end', complete).on('close', broken).on('data', take)
  })
}

/** Throws `malformed` unless the content type is JSON. A missing or empty content type counts as JSON. */
function requireJson(request: FastifyRequest): void {
  const sent = request.headers['content-type'] ?? ''
  if (sent === '' || jsonType.test(sent.split(';', 1)[0] as string)) return
  throw refusal('malformed', 'Unsupported content type', 'The Content-Type must be application/json')
}

const jsonType = /^application\/(?:json|[\w!#$%&'*+.^`|~-]+\+json)\s*$/i

/** Throws if a value is nested too deeply. Recursive code would exhaust the stack on such a value. */
function requireShallow(text: string): void {
  let depth = 0
  let isInString = false
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    if (isInString) {
      if (code === backslash) i++
      else if (code === quote) isInString = false
    } else if (code === quote) isInString = true
    else if (code === openBracket || code === openBrace) depth++
    else if (code === closeBracket || code === closeBrace) depth--
    if (depth > limits.http.jsonDepth) throw invalidJson(`The body is nested deeper than ${limits.http.jsonDepth} levels`)
  }
}

const [quote, backslash, openBracket, closeBracket, openBrace, closeBrace] = [0x22, 0x5c, 0x5b, 0x5d, 0x7b, 0x7d]

/** Throws `malformed` for a text that is not JSON or is nested too deeply. */
export function parseJson(text: string): unknown {
  requireShallow(text)
  try {
    return JSON.parse(text)
  } catch {
    throw invalidJson('The body is not valid JSON')
  }
}
