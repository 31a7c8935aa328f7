// Outside world of the demo, on loopback: a website that can be switched off, and a webhook that receives messages.
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { limits } from '#shared/limits/limits.ts'

export interface Message {
  title: string
  text: string
  transition: 'confirmed' | 'closed'
}

export interface Outside {
  websiteUrl: string
  webhookUrl: string
  setUp(isUp: boolean): void
  close(): Promise<void>
}

const webhookPath = '/webhook'

/** Resolves when the server listens on a free port. The website is up then. */
export async function startOutside(onMessage: (message: Message) => void): Promise<Outside> {
  let isUp = true
  const server = createServer((request, response) => {
    if (request.url === webhookPath) return void takeMessage(request, response, onMessage)
    response.writeHead(isUp ? 200 : 503, { 'content-type': 'text/plain' }).end(isUp ? 'Hello.\n' : 'Out of order.\n')
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    websiteUrl: `${url}/`,
    webhookUrl: url + webhookPath,
    setUp: value => {
      isUp = value
    },
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
    const { attachments, incident } = JSON.parse(body)
    const [{ title, text }] = attachments
    response.end('ok')
    onMessage({ title, text, transition: incident.transition })
  } catch {
    // Status 400 shows the sender that the message was not accepted.
    if (!response.headersSent) response.writeHead(400)
    response.end()
  }
}
