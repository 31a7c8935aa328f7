// Sealed secrets.
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { holdsSealed, isSealed, sealingKeyOf } from '#shared/secrecy/sealed-form.ts'
import { areSealingKeys, createSeals, newSealingKey, type Seals, withOpened } from '#shared/secrecy/seals.ts'
import { keptSecretsKey, sealingKeyFault } from '../../infra/runtime/data/kept-secrets-key.ts'

const sealsOf = (...keys: string[]) => createSeals(keys.join(',')) as Seals

t.test('sealed text is opened with its key alone', async t => {
  const [old, other] = [newSealingKey(), newSealingKey()]
  for (const text of ['', 'geheim', 'ß\n🔑', 'x'.repeat(65_536)]) {
    const sealed = sealsOf(old).seal(text)
    t.ok(isSealed(sealed))
    t.not(sealsOf(old).seal(text), sealed, 'the same text is sealed in another way each time')
    t.equal(sealsOf(old).open(sealed), text)
    t.equal(sealsOf(other, old).open(sealed), text, 'also while a newer key seals')
    t.equal(sealsOf(other).open(sealed), null)
    t.equal(sealsOf(old).open(`${sealed.slice(0, 20)}${sealed[20] === 'A' ? 'B' : 'A'}${sealed.slice(21)}`), null, 'damaged')
    t.equal(sealsOf(old).open(sealed.slice(0, 20)), null, 'cut')
  }
  t.equal(createSeals(''), null)
})

t.test('texts are opened wherever they are, and stay sealed without their key', async t => {
  const [seals, others] = [sealsOf(newSealingKey()), sealsOf(newSealingKey())]
  const sealed = { rev: 1, options: { lines: ['a', seals.seal('b')], none: null, on: true } }
  t.ok(holdsSealed(sealed))
  const opened = withOpened(sealed, seals)
  t.strictSame(opened, { rev: 1, options: { lines: ['a', 'b'], none: null, on: true } })
  t.notOk(holdsSealed(opened))
  t.strictSame(withOpened(sealed, others), sealed)
  t.equal(withOpened(sealed, null), sealed)
})

t.test('only whole keys are keys', async t => {
  t.ok(areSealingKeys(newSealingKey()))
  t.ok(areSealingKeys(`${newSealingKey()}, ${newSealingKey()}`))
  for (const text of ['', 'short', `${newSealingKey()},`, newSealingKey().slice(1)]) t.notOk(areSealingKeys(text), text)
})

t.test('data folder has one key, which only its user reads', async t => {
  const folder = mkdtempSync(join(tmpdir(), 'watchkeeper-'))
  t.teardown(() => rmSync(folder, { recursive: true }))
  const made = await keptSecretsKey(folder, null)
  t.ok(areSealingKeys(made))
  t.equal(await keptSecretsKey(folder, null), made)
  const path = join(folder, 'secrets.key')
  t.equal(statSync(path).mode & 0o777, 0o600)
  writeFileSync(path, 'damaged')
  await t.rejects(keptSecretsKey(folder, null), { message: /holds no key: put the right file there/ })
  t.equal(readFileSync(path, 'utf8'), 'damaged', 'nothing replaces it')
  rmSync(path)
  t.equal(await keptSecretsKey(folder, 'AAAAAAAA'), '', 'no second key is made where the store knows one')
})

t.test('keys fit a store that knows one of them, or none', async t => {
  const [old, other] = [newSealingKey(), newSealingKey()]
  const { keyId, keyIds } = sealsOf(other, old)
  t.strictSame([keyIds[0], keyIds.length], [keyId, 2])
  t.equal(sealingKeyOf(sealsOf(other, old).seal('x')), keyId)
  const known = sealsOf(old).keyId
  t.equal(sealingKeyFault(old, null), null)
  t.equal(sealingKeyFault(`${other},${old}`, known), null)
  t.match(sealingKeyFault(other, known), 'the one here is another')
  t.match(sealingKeyFault('', known), 'there is none here')
})
