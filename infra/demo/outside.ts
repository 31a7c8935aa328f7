// Outside world of the demo, on one loopback port: six small websites, a receiver of messages, and a page that shows the received messages.
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { limits } from '#shared/limits/limits.ts'

/** A site's behaviour: it responds with `status` after `delayMs`. */
export interface Behaviour {
  status: number
  delayMs: number
}

export interface Message {
  /** Instant at which the message arrived, ms since the epoch. */
  at: number
  title: string
  text: string
}

export interface Outside {
  /** Address of the server, without a path. It is also the page of the messages. */
  url: string
  siteUrl(path: string): string
  webhookUrl: string
  close(): Promise<void>
}

export interface OutsideOptions {
  /** Returns how the site at a path behaves now; undefined: there is no such site. */
  behaviourOf(path: string): Behaviour | undefined
  onMessage(message: Message): void
}

const webhookPath = '/webhook'

/** Resolves when the server listens on a free port. */
export async function startOutside({ behaviourOf, onMessage }: OutsideOptions): Promise<Outside> {
  const messages: Message[] = []
  const take = (message: Message) => {
    messages.unshift(message)
    messages.length = Math.min(messages.length, limits.demo.messages)
    onMessage(message)
  }
  const server = createServer((request, response) => {
    const path = request.url ?? '/'
    if (path === webhookPath) return void takeMessage(request, response, take)
    if (path === '/') return void response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(pageOf(messages))
    const { status, delayMs } = behaviourOf(path.slice(1)) ?? { status: 404, delayMs: 0 }
    const respond = () =>
      response.writeHead(status, { 'content-type': 'text/plain' }).end(status < 400 ? 'Hello.\n' : 'Out of order.\n')
    const late = setTimeout(respond, delayMs)
    response.once('close', () => clearTimeout(late))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    url,
    siteUrl: path => `${url}/${path}`,
    webhookUrl: url + webhookPath,
    close: () =>
      new Promise(resolve => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

async function takeMessage(
  request: IncomingMessage,
  response: ServerResponse,
  onMessage: (message: Message) => void,
): Promise<void> {
  try {
    let body = ''
    for await (const chunk of request.setEncoding('utf8')) {
      body += chunk
      if (body.length > limits.demo.messageBytes) return void response.writeHead(413).end()
    }
    const [{ title, text }] = JSON.parse(body).attachments
    response.end('ok')
    onMessage({ at: Date.now(), title, text })
  } catch {
    // Status 400 shows the sender that the message was not accepted.
    if (!response.headersSent) response.writeHead(400)
    response.end()
  }
}

/** A page that loads itself again every 2 s, so that it needs no script. */
function pageOf(messages: readonly Message[]): string {
  const rows = messages.map(
    ({ at, title, text }) =>
      `<article><h2>${escaped(title)}</h2><time>${timeOfDay(at)}</time><pre>${escaped(text)}</pre></article>`,
  )
  return `<!doctype html><html lang="en"><meta charset="utf-8"><meta http-equiv="refresh" content="2"><title>Messages</title>
<style>body{font:16px/1.5 system-ui;max-width:44rem;margin:2rem auto;padding:0 1rem;color-scheme:light dark}article{border-top:1px solid #8886;padding:.5rem 0}h2{font-size:1.1rem;margin:0}time{opacity:.7}pre{white-space:pre-wrap;margin:.25rem 0}</style>
<h1>Messages that the demo has received</h1>${rows.join('\n') || '<p>None so far. The first one comes when the Shop has been down for a while.</p>'}`
}

const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')

/** Returns the local time of day as `HH:MM:SS`. */
export const timeOfDay = (at: number): string => new Date(at).toTimeString().slice(0, 8)
