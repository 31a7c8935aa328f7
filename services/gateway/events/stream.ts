// One open stream of server-sent events: its headers, bytes and end. A stream whose reader is too slow is closed.
import type { FastifyReply } from 'fastify'
import type { SessionEventData } from '#shared/contracts/session/session-events.ts'
import { limits } from '#shared/limits/limits.ts'

export interface Stream {
  readonly person: Watcher
  write(bytes: Buffer | string): void
  /** Sends the reason and ends the stream. */
  end(why: SessionEventData['ended']['why']): void
}

/** The person who watches, and a check of their rights. */
export interface Watcher {
  userId: string
  /** Key or session that was accepted for the stream, such as `key:a1b2`. */
  holder: string
  /** Reason with which the stream ends if the key or the session is no longer valid, or cannot be looked up. */
  over: 'session' | 'key'
  /** Returns the reason why the person may no longer watch; null: the person may watch. Rejects if the rights cannot be checked. */
  whyNot(): Promise<SessionEventData['ended']['why'] | null>
}

const bounds = limits.events

const head = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-store, no-transform',
  'x-accel-buffering': 'no',
}

/** Opens the stream. From now on only the stream writes to the reply. `on.cut`: called when the reader is too slow. */
export function openStream(reply: FastifyReply, person: Watcher, on: { closed(stream: Stream): void; cut(): void }): Stream {
  const { raw } = reply
  const headers = reply.getHeaders()
  reply.hijack()
  raw.writeHead(200, { ...(headers as Record<string, string>), ...head })
  const stream: Stream = {
    person,
    write: bytes => {
      if (raw.destroyed || raw.writableEnded) return
      if (raw.writableLength <= bounds.unreadBytes) return void raw.write(bytes)
      on.cut()
      raw.destroy()
    },
    end: why => {
      if (raw.destroyed || raw.writableEnded) return
      raw.end(`event: ended\ndata: ${JSON.stringify({ why })}\n\n`)
    },
  }
  raw.once('close', () => on.closed(stream))
  return stream
}
