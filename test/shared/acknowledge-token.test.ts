// Tokens of acknowledge links and the keys that sign them (v3 10.21).
import fc from 'fast-check'
import t from 'tap'
import { day } from '#shared/limits/limits.ts'
import { acknowledgeKeys, rotateAcknowledgeKeys, signingKey } from '#shared/notifications/acknowledge-keys.ts'
import {
  type AcknowledgeKey,
  acknowledgeExpiry,
  acknowledgeStandIn,
  isProven,
  makeAcknowledgeToken,
  readAcknowledgeToken,
} from '#shared/tokens/acknowledge-token.ts'
import { hashToken } from '#shared/tokens/api-token.ts'
import { createMemoryStore } from '../support/store/memory-store.ts'

const madeAt = Date.UTC(2026, 0, 5, 12)
const key: AcknowledgeKey = { id: 'abc123', secret: Buffer.alloc(32, 7).toString('base64') }
const claims = { incidentId: 'subject123.4', destinationId: 'dest123456', expiresAt: acknowledgeExpiry(madeAt) }
const token = makeAcknowledgeToken(claims, key)

const proves = (text: string, keys: readonly AcknowledgeKey[] = [key], now = madeAt): boolean => {
  const read = readAcknowledgeToken(text)
  return read !== null && isProven(read, hashToken(text), keys, now)
}

t.test('token says what it was made for, in at most 200 characters that nothing has to escape (v3 10.21)', async t => {
  t.strictSame(readAcknowledgeToken(token), { ...claims, keyId: key.id })
  t.ok(proves(token))
  const id = fc.stringMatching(/^[0-9A-Za-z]{1,40}$/)
  fc.assert(
    fc.property(id, id, fc.integer({ min: 0, max: 4e12 }), (one, other, at) => {
      const made = { incidentId: `${one}.7`, destinationId: other, expiresAt: acknowledgeExpiry(at) }
      const text = makeAcknowledgeToken(made, key)
      t.ok(/^[0-9A-Za-z_-]{60,199}[0-9A-Za-z]$/.test(text), text)
      t.equal(acknowledgeStandIn(made).length, text.length)
      t.strictSame(readAcknowledgeToken(text), { ...made, keyId: key.id })
    }),
    { numRuns: 50 },
  )
})

t.test('token that anybody changed proves nothing (v3 10.22)', async t => {
  const changed = [...token].map((one, at) => token.slice(0, at) + (one === 'A' ? 'B' : 'A') + token.slice(at + 1))
  t.strictSame(
    changed.filter(text => proves(text)),
    [],
  )
  for (const wrong of [
    '',
    'a',
    token.slice(1),
    token.slice(0, -1),
    `${token}A`,
    `2${token.slice(1)}`,
    `${token}=`,
    'A'.repeat(150),
  ]) {
    t.notOk(proves(wrong), wrong)
  }
  t.notOk(proves(token, []), 'no key')
  t.notOk(proves(token, [{ ...key, secret: Buffer.alloc(32, 8).toString('base64') }]), 'another secret')
  t.notOk(proves(token, [{ ...key, id: 'abc124' }]), 'another key')
})

t.test('token expires 7 days after its message was made (v3 10.21)', async t => {
  t.ok(proves(token, [key], madeAt + 7 * day - 1))
  t.notOk(proves(token, [key], madeAt + 7 * day))
})

t.test('first use makes a key, a new one follows after 30 days, and rotation ends all links (v3 10.21)', async t => {
  const store = createMemoryStore()
  t.strictSame(await acknowledgeKeys(store), [])
  const [first, same] = await Promise.all([signingKey(store, madeAt), signingKey(store, madeAt)])
  t.strictSame(first, same, 'the key of several writers is one')
  t.strictSame(await signingKey(store, madeAt + 30 * day - 1), first)
  const second = await signingKey(store, madeAt + 30 * day)
  t.strictSame(await acknowledgeKeys(store), [second, first])
  const third = await signingKey(store, madeAt + 60 * day)
  t.strictSame(await acknowledgeKeys(store), [third, second], 'at most two')
  await rotateAcknowledgeKeys(store, madeAt + 61 * day)
  const keys = await acknowledgeKeys(store)
  t.equal(keys.length, 1)
  t.notMatch(
    [first, second, third].map(({ id }) => id),
    [keys[0]?.id],
  )
})
