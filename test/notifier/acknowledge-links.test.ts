// Acknowledge links in messages: which have one, and where their tokens never stand (v3 10.21).
import { createHmac } from 'node:crypto'
import t, { type Test } from 'tap'
import { createNotifierClient } from '#shared/bus/clients/clients.ts'
import type { AlertDocument, AlertKind } from '#shared/contracts/incidents/alert.ts'
import type { DestinationDocument } from '#shared/contracts/notifications/destination.ts'
import type { Egress } from '#shared/net/egress.ts'
import { acknowledgeKeys, rotateAcknowledgeKeys } from '#shared/notifications/acknowledge-keys.ts'
import { isProven, readAcknowledgeToken } from '#shared/tokens/acknowledge-token.ts'
import { hashToken } from '#shared/tokens/api-token.ts'
import type { MemoryStore } from '../support/store/memory-store.ts'
import { type Answer, alert, createHouse, createReceiver, destination, facts, type Hit, startAt, until } from './house.ts'

const linkBase = 'https://watch.example.com'
const asked = { settings: { acknowledge_link: true } }
const secret = `whsec_${Buffer.alloc(32, 5).toString('base64')}`

/** Far ends of the tests count as public, so that their answers are read. */
const open: Egress = { refusal: () => null, isPublic: () => true }

async function stage(
  t: Test,
  {
    over = asked,
    answer = () => ({ status: 200 }),
    base = linkBase,
  }: { over?: Partial<DestinationDocument>; answer?: (call: number, body: string) => Answer; base?: string | null } = {},
) {
  const receiver = await createReceiver((call, { body }) => answer(call, body))
  t.teardown(receiver.close)
  const house = createHouse()
  await house.store.insert('destinations', [destination('one', receiver.url, over)])
  const service = await house.start('n1', { linkBase: base, egress: open })
  t.teardown(() => house.stop(service))
  const tell = async (given: AlertDocument) => {
    await house.store.insert('alerts', [given])
    house.nudge(given.id)
  }
  const attempts = (count: number) =>
    until(async () => {
      await house.clock.advance(1_000)
      return (await house.store.count('deliveryLog', {})) >= count
    }, `${count} rows`)
  return { ...house, receiver, tell, attempts, store: house.store as MemoryStore }
}

const tokenIn = (text: string): string => /\/a\/([0-9A-Za-z_-]+)/.exec(text)?.[1] ?? ''

const proves = async ({ store }: Pick<Awaited<ReturnType<typeof stage>>, 'store'>, token: string): Promise<boolean> => {
  const read = readAcknowledgeToken(token)
  return read !== null && isProven(read, hashToken(token), await acknowledgeKeys(store), startAt)
}

t.test(
  'webhook that asks for it gets a link that proves, signed with it, and nothing stored or logged has the token (v3 10.21)',
  async t => {
    const secrets = [{ id: 's', secret, createdAt: 0, expiresAt: null }]
    const house = await stage(t, {
      over: { ...asked, secrets },
      answer: (_call, body) => ({ status: 400, body: `I do not like ${body}` }),
    })
    await house.tell(alert('one', 'incident', 1))
    await house.attempts(1)
    const [hit] = house.receiver.hits
    const { body = '', headers = {} as Hit['headers'] } = hit ?? {}
    const { incident } = JSON.parse(body)
    const token = tokenIn(incident.acknowledge_url)
    t.equal(incident.acknowledge_url, `${linkBase}/a/${token}`)
    t.match(readAcknowledgeToken(token), {
      incidentId: 'incidentxx.1',
      destinationId: 'one',
      expiresAt: startAt + 7 * 86_400_000,
    })
    t.ok(await proves(house, token))
    const said = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`
    const mac = createHmac('sha256', Buffer.from(secret.slice('whsec_'.length), 'base64'))
      .update(said)
      .digest('base64')
    t.equal(headers['webhook-signature'], `v1,${mac}`)
    const [row] = await house.store.find('deliveryLog', { limit: 1 })
    t.match(row?.payload, `${linkBase}/a/[redacted]`)
    t.match(row?.error, /^http_400: .*I do not like/)
    const whole = `${await house.store.dump()}${house.log.join('')}`
    t.notMatch(whole, token)
    t.notMatch(whole, token.slice(-40))
  },
)

t.test('attempts of a message have the same token, and after a rotation one by the new key (v3 10.21)', async t => {
  const house = await stage(t, { answer: call => ({ status: call === 4 ? 200 : 503 }) })
  await house.tell(alert('one', 'incident', 1))
  await house.attempts(2)
  const [first, second] = house.receiver.hits.map(({ body }) => tokenIn(body))
  t.equal(first, second)
  await rotateAcknowledgeKeys(house.store, startAt)
  await house.attempts(4)
  t.notOk(await proves(house, first ?? ''), 'a link that was sent before has ended')
  t.ok(await proves(house, tokenIn(house.receiver.hits.at(-1)?.body ?? '')))
})

t.test('only problems, no data and reminders have a link, and only with a public address (v3 10.21)', async t => {
  const kinds: [AlertKind, boolean, boolean][] = [
    ['problem', false, true],
    ['problem', true, true],
    ['no_data', false, true],
    ['recovery', false, false],
  ]
  for (const [kind, reminder, has] of kinds) {
    const house = await stage(t)
    await house.tell(alert('one', 'incident', 1, { kind, reminder, facts: { ...facts, closedAt: startAt } }))
    await house.attempts(1)
    t.equal(tokenIn(house.receiver.hits[0]?.body ?? '') !== '', has, `${kind} ${reminder}`)
  }
  for (const given of [{ base: null }, { over: {} }, { over: { type: 'slack' } }]) {
    const house = await stage(t, given)
    await house.tell(alert('one', 'incident', 1))
    await house.attempts(1)
    t.notMatch(house.receiver.hits[0]?.body, '/a/', JSON.stringify(given))
  }
  const slack = await stage(t, { over: { type: 'slack', ...asked } })
  await slack.tell(alert('one', 'incident', 1))
  await slack.attempts(1)
  t.match(
    JSON.parse(slack.receiver.hits[0]?.body ?? '{}').attachments[0].text,
    /\n<https:\/\/watch.example.com\/a\/[^|]+\|Acknowledge>$/,
  )
})

t.test('test message has no link (v3 10.21)', async t => {
  const house = await stage(t)
  const { sendTest } = createNotifierClient(house.connect(), house.clock)
  await sendTest({ destinationId: 'one' })
  t.notMatch(house.receiver.hits[0]?.body, '/a/')
  t.match(await acknowledgeKeys(house.store), { length: 0 }, 'no key is made without a link')
})
