// A reader of server-sent events for tests: each event is awaited, and the stream can be read slowly or not at all.
import { type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http'
import { stringifyCookie } from 'cookie'
import type { Browser } from './browser.ts'

export interface ReadEvent {
  id: string | null
  event: string
  // biome-ignore lint/suspicious/noExplicitAny: tests look into events freely
  data: any
}

export interface EventReader {
  status: number
  headers: IncomingHttpHeaders
  /** Received bytes. */
  text(): string
  /** All events received so far. */
  events: ReadEvent[]
  /** Resolves with the first event that fits, beginning at index `from`. Rejects if the stream ends before such an event. */
  next(fits: (event: ReadEvent) => boolean, from?: number): Promise<ReadEvent>
  /** Resolves when the stream has ended or lost its connection. */
  ended: Promise<void>
  response: IncomingMessage
  close(): void
}

export function readEvents(
  address: string,
  browser: Browser,
  path: string,
  headers: Record<string, string> = {},
): Promise<EventReader> {
  const cookie = stringifyCookie(Object.fromEntries(browser.cookies()))
  return new Promise((resolve, reject) => {
    const outgoing = request(
      new URL(path, address),
      { agent: false, headers: { cookie, accept: 'text/event-stream', ...headers } },
      response => {
        resolve(readerOf(response, () => outgoing.destroy()))
      },
    )
    outgoing.on('error', reject)
    outgoing.end()
  })
}

function readerOf(response: IncomingMessage, close: () => void): EventReader {
  const events: ReadEvent[] = []
  let text = ''
  let taken = 0
  let isEnded = false
  let waiting: (() => void)[] = []
  const wake = () => {
    const woken = waiting
    waiting = []
    for (const go of woken) go()
  }
  const ended = new Promise<void>(resolve => {
    response.once('close', () => {
      isEnded = true
      resolve()
      wake()
    })
  })
  response.on('error', () => undefined)
  response.on('data', chunk => {
    text += String(chunk)
    for (let end = text.indexOf('\n\n', taken); end >= 0; end = text.indexOf('\n\n', taken)) {
      const event = parse(text.slice(taken, end))
      taken = end + 2
      if (event !== null) events.push(event)
    }
    wake()
  })
  return {
    status: response.statusCode ?? 0,
    headers: response.headers,
    text: () => text,
    events,
    ended,
    response,
    close,
    next: async (fits, from = 0) => {
      for (;;) {
        const found = events.slice(from).find(fits)
        if (found !== undefined) return found
        if (isEnded) throw new Error(`the stream ended after ${text}`)
        await new Promise<void>(resolve => void waiting.push(resolve))
      }
    },
  }
}

function parse(block: string): ReadEvent | null {
  const fields = new Map(block.split('\n').map(line => [line.split(': ', 1)[0] as string, line.slice(line.indexOf(': ') + 2)]))
  const event = fields.get('event')
  return event === undefined ? null : { id: fields.get('id') ?? null, event, data: JSON.parse(fields.get('data') ?? 'null') }
}
