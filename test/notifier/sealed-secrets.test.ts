// Secrets of destinations: the store holds them sealed, an attempt opens them, and where the key is another one, messages wait. Reference:
// docs/reference/v3.md, 10.23.
import t from 'tap'
import { withSealedDestinations } from '#shared/channels/sealed-destinations.ts'
import type { DestinationDocument } from '#shared/contracts/notifications/destination.ts'
import type { Egress } from '#shared/net/egress.ts'
import { createSeals, newSealingKey } from '#shared/secrecy/seals.ts'
import { resealDestinations } from '../../services/directory/notifications/reseal-destinations.ts'
import { alert, createHouse, createReceiver, destination, until } from './house.ts'

const open: Egress = { refusal: () => null, isPublic: () => true }
const [first, second] = [newSealingKey(), newSealingKey()]
const token = 'TOKEN-secret'
const gotify = (settings: object) =>
  destination('one', '', { type: 'gotify', settings: settings as DestinationDocument['settings'] & object })
const raw = async ({ store }: Pick<ReturnType<typeof createHouse>, 'store'>) => (await store.get('destinations', ['one']))[0]

t.test('store holds no secret of a destination, and who reads through it reads it (v3 10.23)', async t => {
  const house = createHouse()
  const store = withSealedDestinations(house.store, createSeals(first))
  const former = [{ key: 'token', value: 'TOKEN-former', until: 9 }]
  const given = { ...gotify({ server: 'https://gotify.example', token }), former }
  await store.insert('destinations', [given])
  t.notMatch(JSON.stringify(await raw(house)), /TOKEN/)
  t.match(await raw(house), {
    settings: { server: 'https://gotify.example', token: /^sealed:/ },
    former: [{ value: /^sealed:/ }],
  })
  t.match((await store.get('destinations', ['one']))[0], { settings: { token }, former })
  t.match(await store.find('destinations', { limit: 1 }), [{ settings: { token } }])
  await store.replace('destinations', [{ ...given, rev: given.rev + 1, name: 'Another' }])
  t.notMatch(JSON.stringify(await raw(house)), /TOKEN/)
  await store.putInOrder([{ mode: 'upsert', collection: 'destinations', documents: [{ ...given, rev: given.rev + 2 }] }])
  t.notMatch(JSON.stringify(await raw(house)), /TOKEN/)
})

t.test('document that is older is read as it is, and a rotation seals it and what another key has sealed (v3 10.23)', async t => {
  const house = createHouse()
  await house.store.insert('destinations', [gotify({ server: 'https://gotify.example', token })])
  const old = withSealedDestinations(house.store, createSeals(first))
  t.match((await old.get('destinations', ['one']))[0], { settings: { token } })
  t.same(await resealDestinations(old), [])
  const keyOf = async () => String((await raw(house))?.settings?.['token']).split(':')[1]
  const before = await keyOf()
  t.same(await resealDestinations(withSealedDestinations(house.store, createSeals(`${second},${first}`))), [])
  t.not(await keyOf(), before)
  t.match((await withSealedDestinations(house.store, createSeals(second)).get('destinations', ['one']))[0], {
    settings: { token },
  })
  t.match(await resealDestinations(withSealedDestinations(house.store, createSeals(newSealingKey()))), [{ id: 'one' }], 'lost')
})

t.test('message whose secret cannot be opened is not sent and waits for the right key (v3 10.23)', async t => {
  const receiver = await createReceiver(() => ({ status: 200, body: '{}' }))
  t.teardown(() => receiver.close())
  const house = createHouse()
  const settings = { server: new URL(receiver.url).origin, token }
  await withSealedDestinations(house.store, createSeals(first)).insert('destinations', [gotify(settings)])
  const wrong = await house.start('n1', { egress: open, secretsKey: second })
  await house.store.insert('alerts', [alert('one', 'incident', 1)])
  house.nudge('incidentxx.1.a1')
  const rows = async (count: number) => {
    await until(async () => {
      await house.clock.advance(1_000)
      return (await house.store.count('deliveryLog', {})) >= count
    }, `${count} rows`)
    return house.store.find('deliveryLog', { limit: 100 })
  }
  t.match(await rows(1), [{ error: 'not_sent: a secret of the destination can not be opened here' }])
  t.equal(receiver.hits.length, 0)
  await house.stop(wrong)
  const right = await house.start('n2', { egress: open, secretsKey: first })
  await until(async () => {
    await house.clock.advance(10_000)
    return receiver.hits.length > 0
  }, 'it is sent')
  t.equal(receiver.hits[0]?.headers['x-gotify-key'], token)
  await house.stop(right)
  t.notMatch(house.log.join(''), /TOKEN/)
})
