// Addresses that the kept data folders name. Their ports are fixed, because a folder keeps its addresses.
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'

export const port = 25_170
export const place = (path: string): string => `http://127.0.0.1:${port}${path}`

/** Receiver of messages. */
export const hook = place('/hook')
/** Receiver that accepts nothing while a folder is made, so that its messages are under way. */
export const lateHook = place('/late-hook')
/** Websites of the folder. The first two respond, the last two fail. */
export const websites = ['/well-1', '/well-2', '/ill-1', '/ill-2']

export interface Message {
  hook: string
  /** `Idempotency-Key` of the message. */
  key: string
  body: string
}

export interface Places {
  server: Server
  messages: Message[]
  /** Paths that were requested, besides those of hooks. */
  checked: Set<string>
  /** Resolves once each website was requested. */
  allChecked: Promise<void>
}

/** `lateStatus`: status with which `lateHook` responds. */
export async function startPlaces(lateStatus: number): Promise<Places> {
  const messages: Message[] = []
  const checked = new Set<string>()
  const { promise: allChecked, resolve } = Promise.withResolvers<void>()
  const server = createServer(async (request, response) => {
    const { url = '', headers } = request
    if (url.endsWith('hook')) {
      let body = ''
      for await (const part of request) body += part
      messages.push({ hook: url, key: String(headers['idempotency-key']), body })
      return void response.writeHead(url === '/late-hook' ? lateStatus : 200).end()
    }
    checked.add(url)
    if (websites.every(path => checked.has(path))) resolve()
    response.writeHead(url.startsWith('/ill') ? 503 : 200).end('a page')
  }).listen(port, '127.0.0.1')
  await once(server, 'listening')
  return { server, messages, checked, allChecked }
}
