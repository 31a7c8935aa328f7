// Costs of a check of each kind, and of one over HTTP with all options, in a process of its own against servers of this process.
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { createServer as createHttpServer } from 'node:http'
import { type AddressInfo, createServer, type Server } from 'node:net'
import { join } from 'node:path'
import { createServer as createTlsServer } from 'node:tls'
import { readCheckAnswers } from '#shared/checks/check-answers.ts'
import type { CheckKind } from '#shared/checks/check-kind.ts'
import { dns } from '#shared/checks/dns/dns.ts'
import { http } from '#shared/checks/http/http.ts'
import { icmp } from '#shared/checks/icmp/icmp.ts'
import { checkKinds, entryOf } from '#shared/checks/registry.ts'
import { tcp } from '#shared/checks/tcp/tcp.ts'
import { tls } from '#shared/checks/tls/tls.ts'
import { website } from '#shared/checks/website/website.ts'
import { whyNoPings } from '../../../services/prober/checks/icmp/ability.ts'
import { answerTo, startNameServer } from '../../prober/name-server.ts'
import { createMaker, hasOpenssl } from '../../prober/openssl.ts'
import { endChild, startChild } from '../run/processes.ts'
import { makeTemporaryFolder, removeTemporaryFolder } from '../run/temporary-folder.ts'
import type { KindFigures, KindRow, KindRows } from './kind-checks.ts'

export interface KindCosts {
  figures: KindFigures[]
  /** Name of the row to which the others are compared. */
  plain: string
  /** Kinds without a figure, with the reason. */
  leftOut: { name: string; why: string }[]
}

/** A JSON answer of 1.7 kB, as of an API. */
const answer = JSON.stringify({
  status: 'up',
  items: Array.from({ length: 40 }, (_, i) => ({ id: i, name: `item ${i}`, ok: true })),
})

const allOptions = {
  method: 'POST',
  body: '{"ping": 1}',
  headers: ['Accept: application/json', 'X-Trace: bench'],
  secret_headers: 'X-Api-Key: 0123456789',
  bearer: 'open-sesame-please',
  statuses: ['200-299', '401'],
  contains: '"status":"up"',
  lacks: 'fatal error',
  json_path: '$.items[-1].ok',
  json_value: 'true',
  matches: '"name":"item \\d+"',
  max_ms: 59_999,
}

/** Measures all kinds. `origin`: address of the target of a plain check. */
export async function measureKinds(origin: string, { rounds, checks }: Pick<KindRows, 'rounds' | 'checks'>): Promise<KindCosts> {
  const ends: (() => void)[] = []
  const folder = makeTemporaryFolder()
  try {
    const { rows, leftOut } = await rowsOf(origin, ends)
    const file = join(folder, 'rows.json')
    writeFileSync(file, JSON.stringify({ rows, rounds, checks } satisfies KindRows))
    return { figures: await runChecks(file), plain: http.key, leftOut }
  } finally {
    for (const end of ends) end()
    removeTemporaryFolder(folder)
  }
}

async function runChecks(file: string): Promise<KindFigures[]> {
  const program = new URL('./kind-checks.ts', import.meta.url).pathname
  const child = startChild([program, file], { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] })
  try {
    return await new Promise<KindFigures[]>((resolve, reject) => {
      child.once('message', message => resolve(message as KindFigures[]))
      child.once('exit', code => reject(new Error(`The checks of all kinds ended with ${code}.`)))
    })
  } finally {
    await endChild(child, 'SIGKILL')
  }
}

async function rowsOf(origin: string, ends: (() => void)[]) {
  const host = '127.0.0.1'
  const listen = async (server: Server): Promise<number> => {
    server.listen({ port: 0, host, backlog: 4_096 })
    await once(server, 'listening')
    ends.push(() => server.close())
    return (server.address() as AddressInfo).port
  }
  const apiPort = await listen(
    createHttpServer((_, response) => response.setHeader('content-type', 'application/json').end(answer)),
  )
  const bannerPort = await listen(createServer(socket => socket.on('error', () => undefined).end('220 ready\r\n')))
  const names = await startNameServer(asked => [
    { bytes: answerTo(asked, [{ type: 'A', name: 'shop.example', ttl: 60, data: '192.0.2.1' }]) },
  ])
  ends.push(names.stop)
  const leftOut: KindCosts['leftOut'] = []
  const answers = new Map<CheckKind, Record<string, unknown> | string>([
    [website, { url: `${origin}/m/1`, interval_value: 1 }],
    [http, { url: `${origin}/m/1` }],
    [tcp, { host, port: bannerPort, expect: '220' }],
    [dns, { name: 'shop.example', server: names.address, expected: ['192.0.2.1'] }],
    [icmp, whyNoPings() ?? { host }],
    [tls, hasOpenssl ? await certificateServer(listen, ends) : 'openssl is not installed'],
  ])
  const rows: KindRow[] = []
  for (const kind of checkKinds()) {
    const given = answers.get(kind) ?? 'no server answers it here'
    if (typeof given === 'string') leftOut.push({ name: kind.key, why: given })
    else rows.push({ name: kind.key, entry: entryWith(kind, given) })
  }
  rows.push({ name: `${http.key}, all options`, entry: entryWith(http, { ...allOptions, url: `http://${host}:${apiPort}/` }) })
  return { rows, leftOut }
}

const entryWith = (kind: CheckKind, answers: Record<string, unknown>) =>
  entryOf(readCheckAnswers(kind, { locations: ['aaaa'], ...answers }, null), 1)

async function certificateServer(listen: (server: Server) => Promise<number>, ends: (() => void)[]) {
  const { makeAuthority, make, text } = createMaker({ teardown: end => void ends.push(end as () => void) })
  makeAuthority('root', 90)
  make('leaf', { days: 90 })
  const server = createTlsServer({ key: text('leaf.key'), cert: text('leaf.pem') }, socket => socket.on('error', () => undefined))
  server.on('tlsClientError', () => undefined)
  return { target: `localhost:${await listen(server)}`, ip_family: '4', authority: text('root.pem') }
}
