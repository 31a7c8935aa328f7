// Messages of channels with settings of their own on the wire: what a far end hears at each attempt, and what the log may say of its answers
// (v3 10.13).
import t, { type Test } from 'tap'
import { channelOf } from '#shared/channels/registry.ts'
import { shapeOf } from '#shared/channels/settings.ts'
import type { DestinationDocument } from '#shared/contracts/notifications/destination.ts'
import type { Egress } from '#shared/net/egress.ts'
import { messageTo } from '../../services/notifier/send/message.ts'
import { createSender } from '../../services/notifier/send/send.ts'
import { createVirtualClock } from '../support/virtual-clock.ts'
import { type Answer, alert, createReceiver, destination, type Hit, startAt } from './house.ts'

/** Far ends of the tests count as public, so that their answers are read. */
const open: Egress = { refusal: () => null, isPublic: () => true }
const marks = { idempotencyKey: 'msg_1', madeAt: startAt, signature: null }

/** Sends a message to a far end, once. Returns the outcome, and what the far end heard. */
async function send(
  t: Test,
  type: string,
  settings: DestinationDocument['settings'],
  answer: (call: number, hit: Hit) => Answer,
) {
  const receiver = await createReceiver(answer)
  const sender = createSender({
    clock: createVirtualClock(startAt),
    version: '2.0.0',
    serviceUrl: 'https://status.example.com',
    egress: open,
  })
  t.teardown(async () => {
    await sender.close()
    await receiver.close()
  })
  const { origin } = new URL(receiver.url)
  const given = destination('one', '', { type, settings: { ...settings, server: origin } })
  const channel = channelOf(type)
  const about = { alert: alert('one', 'incident', 1), incident: 'INCIDENT_ID', locationName: (id: string) => id }
  const request = channel.render(about, 'problem', shapeOf(channel, given), { subject: 'https://status.example.com/subjects/s1' })
  if (request === null) throw new Error('nothing to say')
  const outcome = await sender.send(messageTo(channel, given, request, marks), AbortSignal.timeout(20_000))
  return { outcome, hits: receiver.hits.map(({ path, headers, body }) => ({ path, headers, body: JSON.parse(body) })), request }
}

const telegram = { token: '123:SECRET', chat_id: '-77' }

t.test('secrets and addresses are filled in when the message is sent, and hidden where it is stored', async t => {
  const { outcome, hits, request } = await send(t, 'telegram', telegram, () => ({ status: 200, body: '{"ok":true}' }))
  t.strictSame(outcome, { kind: 'delivered' })
  t.match(hits, [{ path: '/bot123:SECRET/sendMessage', body: { chat_id: '-77', text: /^Shop is down\n/ } }])
  t.notMatch(JSON.stringify(request), /SECRET|-77/)
  t.match(JSON.parse(request.body), { chat_id: '[redacted]' })
  for (const name of ['idempotency-key', 'webhook-id']) t.notOk(name in (hits[0]?.headers ?? {}), name)
})

t.test('group that has another id now gets the message there, in the same attempt and once', async t => {
  const moved = { status: 400, body: '{"parameters":{"migrate_to_chat_id":-1001}}' }
  const first = await send(t, 'telegram', telegram, call => (call === 1 ? moved : { status: 200 }))
  t.strictSame(first.outcome, { kind: 'delivered' })
  t.strictSame(
    first.hits.map(({ body }) => body.chat_id),
    ['-77', '-1001'],
  )
  const endless = await send(t, 'telegram', telegram, () => moved)
  t.match([endless.hits.length, endless.outcome], [2, { kind: 'refused', retryable: false }])
})

t.test('refusal has the sentence that says what to do, without a secret that the far end repeats', async t => {
  const { outcome } = await send(t, 'telegram', telegram, () => ({ status: 403, body: '{"ok":false}' }))
  t.match(outcome, { kind: 'refused', retryable: false, error: 'http_403: The bot may not write to this chat.' })
  const other = await send(t, 'telegram', telegram, () => ({ status: 400, body: '{"description":"no 123:SECRET here"}' }))
  t.match(other.outcome, { error: /^http_400: .*no \[redacted\] here/ })
})

t.test('pause that the far end names in its answer holds the destination', async t => {
  const { outcome } = await send(t, 'telegram', telegram, () => ({ status: 429, body: '{"parameters":{"retry_after":9}}' }))
  t.match(outcome, { kind: 'refused', retryable: true, retryAfterMs: 9_000, isRate: true })
})

t.test('servers of other channels hear what they want to hear', async t => {
  const ntfy = await send(t, 'ntfy', { topic: 'alarms', user: 'me', password: 'pw' }, () => ({ status: 200 }))
  const authorization = `Basic ${Buffer.from('me:pw').toString('base64')}`
  t.match(ntfy.hits, [{ path: '/', headers: { authorization }, body: { topic: 'alarms', title: 'Shop is down' } }])
  const gotify = await send(t, 'gotify', { token: 'abc' }, () => ({ status: 200 }))
  t.match(gotify.hits, [{ path: '/message', headers: { 'x-gotify-key': 'abc' } }])
})
