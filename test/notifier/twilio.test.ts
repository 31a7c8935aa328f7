// Text messages (v3 10.13).
import t, { type Test } from 'tap'
import { createNotifierClient } from '#shared/bus/clients/clients.ts'
import type { DestinationDocument } from '#shared/contracts/notifications/destination.ts'
import type { Egress } from '#shared/net/egress.ts'
import { aimed } from '../channels/aimed.ts'
import { account, createTwilio, recorded } from '../channels/twilio.ts'
import { alert, createHouse, createReceiver, destination, until } from './house.ts'

const type = aimed('twilio', 'https://api.twilio.com')
const number = '+4915112345678'

/** Far ends of the tests count as public, so that their answers are read. */
const open: Egress = { refusal: () => null, isPublic: () => true }

async function stage(t: Test, settings: DestinationDocument['settings'] = {}) {
  const twilio = createTwilio()
  const receiver = await createReceiver((_call, hit) => twilio.answer(hit))
  const house = createHouse()
  const given = {
    account_sid: account.sid,
    auth_token: account.token,
    from: '+15005550006',
    to: number,
    server: new URL(receiver.url).origin,
    ...settings,
  }
  await house.store.insert('destinations', [destination('one', '', { type, settings: given })])
  const service = await house.start('n1', { linkBase: 'https://watch.example.com', egress: open })
  t.teardown(async () => {
    await house.stop(service)
    await receiver.close()
  })
  const tell = async (place = 1, over = {}) => {
    await house.store.insert('alerts', [alert('one', 'incident', place, over)])
    house.nudge(`incidentxx.1.a${place}`)
  }
  const rows = async (count: number) => {
    await until(async () => {
      await house.clock.advance(1_000)
      return (await house.store.count('deliveryLog', {})) >= count
    }, `${count} rows`)
    return house.store.find('deliveryLog', { limit: 100 })
  }
  return { ...house, twilio, receiver, tell, rows }
}

t.test('the example of the documents is taken', async t => {
  const { answer, texts } = createTwilio()
  const basic = Buffer.from(`${account.sid}:${account.token}`).toString('base64')
  const headers = { authorization: `Basic ${basic}`, 'content-type': 'application/x-www-form-urlencoded' }
  const answered = answer({ path: `/2010-04-01/Accounts/${account.sid}/Messages.json`, headers, body: recorded.request })
  t.strictSame({ ...answered, body: JSON.parse(answered.body) }, recorded.answer)
  t.strictSame(texts, [{ to: '+15558675310', from: '+15017122661', body: 'Hi there' }])
})

t.test('number gets a text with one address, by which its reader takes the incident on (v3 10.13)', async t => {
  const { tell, rows, twilio, log, store } = await stage(t)
  await tell()
  const logged = await rows(1)
  t.match(logged, [{ status: 'accepted', destinationName: 'Destination one' }])
  t.match(twilio.texts, [{ to: number }])
  for (const { body, from } of twilio.texts) {
    t.equal(from, '+15005550006')
    t.match(body, /^Shop is down\nFailing from 1 of 3 locations — de01\nconnection refused\n/)
    t.match(body, /\nhttps:\/\/watch\.example\.com\/a\/[0-9A-Za-z_-]+$/)
    t.ok(body.length <= 300, `${body.length}`)
  }
  const stored = `${JSON.stringify(await store.find('deliveries', { limit: 10 }))}${JSON.stringify(logged)}${log.join('')}`
  for (const secret of [number, encodeURIComponent(number), account.token, account.sid]) t.notMatch(stored, secret, secret)
  await tell(2, { kind: 'recovery' })
  await rows(2)
  t.match(twilio.texts.at(-1)?.body, /^Shop is back up\n(.+\n)*https:\/\/status\.example\.com\/subjects\/incidentxx$/)
})

t.test('sender of a messaging service is named as such', async t => {
  const { tell, rows, twilio } = await stage(t, { from: `MG${'1b'.repeat(16)}` })
  await tell()
  await rows(1)
  t.match(twilio.texts, [{ from: /^MG/ }])
})

t.test('number that is refused fails with a sentence that does not name it (v3 10.13)', async t => {
  for (const [to, sentence] of [
    ['+4915112345000', 'This number unsubscribed.'],
    ['+49151', 'This number cannot get messages.'],
  ] as const) {
    const { tell, rows, log } = await stage(t, { to })
    await tell()
    const [row] = await rows(1)
    t.equal(row?.error, `http_400: ${sentence}`)
    t.notMatch(log.join(''), to)
  }
})

t.test('test message says that the text was taken', async t => {
  const { connect, clock, twilio } = await stage(t)
  t.match(await createNotifierClient(connect(), clock).sendTest({ destinationId: 'one' }), { delivered: true })
  t.equal(twilio.texts.length, 1)
})
