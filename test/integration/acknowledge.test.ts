// An acknowledge link on a real installation: from the message to the Incident, and where its token must not stand (v3 10.21 and 10.22).
import { readdirSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import t from 'tap'
import { startPreloaded } from '../support/worlds/preloaded-program.ts'

const publicUrl = 'https://watch.example.com'
const host = {
  ...{ key: 'host', version: 1, name: 'Host', fields: [] },
  signals: [{ key: 'probe', kind: 'heartbeat', every_seconds: 600 }],
  rules: [
    {
      ...{ key: 'down', action: 'Restart the host.', wait: { confirm_after: 0, recover_after: 0 } },
      decision: { signal: 'probe', field: 'status', operator: 'eq', operand: 'problem' },
    },
  ],
}

/** Receiver that keeps one body; the first request fails, so that the message is stored and tried again. */
function startReceiver() {
  let told: (body: string) => void = () => {}
  const body = new Promise<string>(resolve => {
    told = resolve
  })
  let calls = 0
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const isLast = ++calls > 1
    response.writeHead(isLast ? 200 : 503).end()
    if (isLast) told(Buffer.concat(chunks).toString())
  })
  const listening = new Promise<string>(resolve => {
    server.listen(0, '127.0.0.1', () => resolve(`http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`))
  })
  const close = () => {
    server.closeAllConnections()
    server.close()
  }
  return { listening, body, close }
}

/** Returns the files below the folder, as Latin-1 texts by their names. */
const filesBelow = (folder: string): [name: string, text: string][] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(entry => [entry.name, readFileSync(join(entry.parentPath, entry.name), 'latin1')])

t.test('person takes an Incident on by the link of a message, and only the message has the token', async t => {
  const receiver = startReceiver()
  t.teardown(receiver.close)
  const { program, folder, url, workspace, api, command } = await startPreloaded(t, [], { PUBLIC_URL: publicUrl })
  const at = `/v3/workspaces/${workspace}`
  const hook = { name: 'On call', type: 'webhook', url: await receiver.listening, settings: { acknowledge_link: true } }
  const destination = (await api('POST', `${at}/destinations`, hook)).result
  t.match(destination, { settings: { acknowledge_link: true } })
  t.equal((await api('POST', `${at}/templates`, host)).status, 201)
  const { result: resource } = await api('POST', `${at}/resources`, { template: 'host', key: 'web-1', name: 'web-1' })
  await api('POST', `${at}/resources/${resource.id}/observations`, { signal: 'probe', state: 'problem' })

  const { incident } = JSON.parse(await receiver.body)
  const token = incident.acknowledge_url.slice(`${publicUrl}/a/`.length)
  const link = `${url}/a/${token}`
  const page = await (await fetch(link)).text()
  t.match(page, 'web-1')
  t.match(page, 'Restart the host.')
  const form = { method: 'POST', body: new URLSearchParams({ by: 'Ada' }), redirect: 'manual' } as const
  t.equal((await fetch(link, form)).status, 303)
  t.match((await api('GET', `${at}/incidents/${incident.id}`)).result, {
    acknowledgement: { by: 'Ada (link of On call)', via: 'link' },
  })
  t.equal((await fetch(link, form)).status, 409)
  const [, deliveries] = (await api('GET', `${at}/deliveries`)).result
  t.match(deliveries.payload, `${publicUrl}/a/[redacted]`)

  t.match(await command(['acknowledge-links', 'rotate']), { code: 0, stdout: /have ended/ })
  t.equal((await fetch(link)).status, 404)
  t.equal((await fetch(link, form)).status, 404)
  await program.stop()
  const texts = [...filesBelow(join(folder, 'data')), ['the log', program.output()] as const]
  t.strictSame(
    texts.filter(([, text]) => text.includes(token) || text.includes(token.slice(0, 48))).map(([name]) => name),
    [],
  )
  t.ok(
    texts.some(([, text]) => text.includes(Buffer.from('/a/…').toString('latin1'))),
    'the audit has the path without it',
  )
  t.ok(texts.some(([, text]) => text.includes(destination.id)))
})
