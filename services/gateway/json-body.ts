// The request's JSON, read when a route has come to that check and not before: key, route, workspace, object and role come first.
// What a framework would refuse (size, content type, encoding) is refused here in the order and the words of the spec.
import { isUtf8 } from 'node:buffer'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { AppError } from '#shared/errors.ts'
import { limits } from '#shared/limits.ts'
import { once } from '#shared/once.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Set by whoever let the request in by its head; rejects where its sender may no longer do as much. Null: everybody may. */
    confirmSender: (() => Promise<void>) | null
  }
}

/** A body, and the JSON text that it was read from. */
export interface SentJson {
  body: Record<string, unknown>
  text: string
}

/**
 * Reads the body at its first call and returns the same at each later one: `{}` if there is none (an empty body is no body). Rejects with
 * `malformed` (2006) for what is too large, of another content type, encoded, not UTF-8, not JSON, or not an object.
 */
export const jsonOnce = (request: FastifyRequest, reply: FastifyReply): (() => Promise<SentJson>) =>
  once(() => readObjectAndText(request, reply))

async function readObjectAndText(request: FastifyRequest, reply: FastifyReply): Promise<SentJson> {
  const text = await readBodyText(request, reply)
  if (text.trim() === '') return { body: {}, text: '{}' }
  requireJson(request)
  const value = parseJson(text)
  if (typeof value === 'object' && value !== null && !Array.isArray(value))
    return { body: value as Record<string, unknown>, text }
  throw invalidJson('The body must be a JSON object')
}

/** Throws `validation` (2001) where a single byte of body was sent, whatever it is or announces (spec D 1, Validation). */
export async function requireNoBody(request: FastifyRequest, reply: FastifyReply): Promise<void> {
  const size = await readChunks(request, [], 0).catch(() => 1)
  if (size > limits.http.discardBytes) reply.header('connection', 'close')
  await requireWanted(request, reply)
  if (size === 0) return
  throw new AppError('validation', 'This request takes no body', { details: 'Send the request without a body' })
}

export const tooLarge = (details: string): AppError => new AppError('too_large', 'Request too large', { details })

export const invalidJson = (details: string): AppError => new AppError('malformed', 'Invalid JSON', { details })

/** The body's text, empty if there is none. Throws `malformed` for an encoding and for what is not UTF-8, `too_large` beyond `maxBytes`. */
export async function readBodyText(
  request: FastifyRequest,
  reply: FastifyReply,
  maxBytes: number = limits.http.bodyBytes,
): Promise<string> {
  const encoding = request.headers['content-encoding']
  if (encoding !== undefined && encoding.toLowerCase() !== 'identity') {
    throw new AppError('malformed', 'Unsupported encoding', { details: 'The body must be sent without a content encoding' })
  }
  const chunks: Buffer[] = []
  const size = await readChunks(request, chunks, maxBytes)
  if (size > limits.http.discardBytes) reply.header('connection', 'close')
  await requireWanted(request, reply)
  if (size > maxBytes) {
    throw tooLarge(`A request body has at most ${maxBytes} bytes`)
  }
  const bytes = chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks)
  if (isUtf8(bytes)) return bytes.toString('utf8')
  throw invalidJson('The body is not UTF-8')
}

/**
 * A body may end long after its head came, by which its sender was let in. Nothing begins for whoever has lost a right meanwhile, nor
 * when the answer has left: its sender was told that the request failed.
 */
async function requireWanted({ confirmSender }: FastifyRequest, reply: FastifyReply): Promise<void> {
  await confirmSender?.()
  if (reply.sent) throw new AppError('unavailable', 'Too slow', { details: 'The request ended after its answer' })
}

/**
 * Keeps what fits and answers how much came; rejects with `malformed` where the sender broke off. What is beyond all measure is left
 * unread: the request must not be destroyed, because its connection carries the refusal.
 */
function readChunks({ raw }: FastifyRequest, chunks: Buffer[], maxBytes: number): Promise<number> {
  return new Promise((resolve, reject) => {
    let size = 0
    let isSettled = false
    const complete = () => {
      isSettled = true
      resolve(size)
    }
    // A request that is broken off closes, and one that has ended does so later.
    const broken = () => {
      if (!isSettled) reject(invalidJson('The body ended before its announced length'))
    }
    const take = (chunk: Buffer) => {
      if (isSettled) return
      size += chunk.length
      if (size <= maxBytes) chunks.push(chunk)
      else chunks.length = 0
      if (size <= limits.http.discardBytes) return
      raw.pause()
      complete()
    }
    if (raw.readableEnded) complete()
    else if (raw.destroyed) broken()
    else raw.on('end', complete).on('close', broken).on('data', take)
  })
}

/** A body without a content type is taken for JSON; an empty one says no more than none. What is malformed is another type. */
function requireJson(request: FastifyRequest): void {
  const sent = request.headers['content-type'] ?? ''
  if (sent === '' || jsonType.test(sent.split(';', 1)[0] as string)) return
  throw new AppError('malformed', 'Unsupported content type', { details: 'The Content-Type must be application/json' })
}

const jsonType = /^application\/(?:json|[\w!#$%&'*+.^`|~-]+\+json)\s*$/i

/** Whoever walks a value walks its depth; a text that is nested without end must not exhaust the stack. */
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

/** Throws `malformed` for what is no JSON or nested too deeply. */
export function parseJson(text: string): unknown {
  requireShallow(text)
  try {
    return JSON.parse(text)
  } catch {
    throw invalidJson('The body is not valid JSON')
  }
}
