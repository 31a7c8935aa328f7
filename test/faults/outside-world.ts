// The world around an installation under faults: websites that fail by a schedule, and the receiver of messages.
import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Message } from './told.ts'

/** Period of a failure. Instants are ms since the epoch. */
export interface Spell {
  from: number
  to: number
}

export const isIn = (spell: Readonly<Spell> | null | undefined, at: number): boolean =>
  spell !== null && spell !== undefined && at >= spell.from && at < spell.to

export interface OutsideWorld {
  hookUrl: string
  messages: Message[]
  siteUrl(name: string): string
  /** Lets the website fail in this period. The caller may change `to` later. */
  fail(name: string, spell: Readonly<Spell>): void
  /** Instants at which the website was checked. */
  checksOf(name: string): readonly number[]
  close(): Promise<void>
}

interface Body {
  incident: { verdict: Message['kind']; resource: { name: string } }
}

export async function startOutsideWorld(): Promise<OutsideWorld> {
  const failing = new Map<string, Readonly<Spell>>()
  const checks = new Map<string, number[]>()
  const messages: Message[] = []
  const server = createServer((request, response) => {
    const name = (request.url ?? '').split('/').at(-1) ?? ''
    if (request.url === '/hook') {
      void takeMessage(request, messages).finally(() => response.end('ok'))
      return
    }
    const now = Date.now()
    checks.set(name, [...(checks.get(name) ?? []), now])
    response.statusCode = isIn(failing.get(name), now) ? 503 : 200
    response.end('hello')
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    hookUrl: `${url}/hook`,
    messages,
    siteUrl: name => `${url}/site/${name}`,
    fail: (name, spell) => void failing.set(name, spell),
    checksOf: name => checks.get(name) ?? [],
    close: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

async function takeMessage(request: IncomingMessage, messages: Message[]): Promise<void> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  const { incident } = JSON.parse(Buffer.concat(chunks).toString()) as Body
  const key = String(request.headers['idempotency-key'])
  messages.push({ name: incident.resource.name, kind: incident.verdict, key, at: Date.now() })
}
