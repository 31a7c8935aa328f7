// Reader of a ping's body: keeps its beginning and counts the rest, whatever its content type. Never parses it. Reference:
// docs/reference/v3.md, 17.3.
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { PingBody } from '#shared/contracts/observations/ping.ts'
import { refusal } from '#shared/errors.ts'
import { limits } from '#shared/limits/limits.ts'
import { senderOf } from '../http/connections.ts'
import { KeptBytes } from '../http/kept-bytes.ts'

/**
 * Returns the body; null: the request has none. `tooLarge`: it has more than `limits.pings.bodyBytes`, and the rest stays unread. Rejects with
 * `malformed` if the sender aborts, and with `busy` if the body gives way to others. `keep`: largest number of bytes that are kept.
 */
export function readPingBody(request: FastifyRequest, reply: FastifyReply, keep: number): Promise<PingBody | null | 'tooLarge'> {
  const { raw } = request
  const most = isEncoded(request) ? 0 : keep
  return new Promise((resolve, reject) => {
    const chunks = new KeptBytes()
    let bytes = 0
    let kept = 0
    let isSettled = false
    const refuse = (error: unknown) => {
      if (isSettled) return
      isSettled = true
      chunks.clear()
      counted.release()
      reject(error)
    }
    const leaveRest = () => {
      raw.pause()
      if (!reply.sent) reply.header('connection', 'close')
    }
    const counted = request.bodies.begin(senderOf(request), error => {
      leaveRest()
      refuse(error)
    })
    const complete = () => {
      if (isSettled) return
      isSettled = true
      counted.complete()
      const text = bodyText(chunks.take(), kept < bytes)
      resolve(bytes === 0 ? null : { text, bytes })
    }
    // An aborted request emits only `close`. A complete request emits `end` before `close`.
    const broken = () => refuse(refusal('malformed', 'Broken body', 'The body ended before its announced length'))
    const take = (chunk: Buffer) => {
      if (isSettled) return
      bytes += chunk.length
      if (bytes > limits.pings.bodyBytes) {
        isSettled = true
        leaveRest()
        counted.release()
        return resolve('tooLarge')
      }
      if (kept === most) return
      const part = chunk.subarray(0, most - kept)
      kept += part.length
      chunks.add(Buffer.from(part))
      counted.keep(part.length)
    }
    if (raw.readableEnded) return complete()
    if (raw.destroyed) return broken()
    reply.raw.once('close', counted.release)
    raw.on('end', complete).on('close', broken).on('data', take)
  })
}

/**
 * Returns the text of the kept bytes: bytes that are not UTF-8 become U+FFFD, and control characters but tab and line feed are dropped.
 * `isCut`: the body goes on after these bytes, so a character at their end that is not whole is dropped.
 */
export function bodyText(bytes: Buffer, isCut: boolean): string {
  const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes, { stream: isCut })
  return text.replace(/[^\P{Cc}\t\n]/gu, '')
}

function isEncoded({ headers }: FastifyRequest): boolean {
  const encoding = (headers['content-encoding'] ?? '').trim().toLowerCase()
  return encoding !== '' && encoding !== 'identity'
}
