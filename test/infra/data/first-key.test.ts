// The file of the first key agrees with the stored key, so the commands that a start prints work.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { limits } from '#shared/limits/limits.ts'
import type { Store } from '#shared/store/port.ts'
import { hashToken } from '#shared/tokens/api-token.ts'
import { prepareFirstKey } from '../../../infra/runtime/data/first-key.ts'
import { bootstrap } from '../../../services/directory/people/bootstrap.ts'
import { createHandClock } from '../../support/hand-clock.ts'
import { createMemoryStore } from '../../support/store/memory-store.ts'

t.test('invalid first key is never offered, and a valid key that replaces it in the file is offered', async t => {
  const keyIn = async (store: Store, folder: string) => {
    const tokenHash = hashToken(readFileSync(join(folder, 'first-key'), 'utf8').trim())
    const [key] = await store.find('keys', { where: { tokenHash }, limit: 1 })
    if (key === undefined) throw new Error('no such key')
    return key
  }
  const start = async (name: string) => {
    const clock = createHandClock()
    const store = createMemoryStore()
    const dataFolder = t.testdir({ [name]: {} })
    const again = () => prepareFirstKey({ store, clock }, { dataFolder, location: 'local' })
    t.match(await again(), { path: join(dataFolder, 'first-key') }, `${name}: at the first start`)
    t.match(await again(), { path: join(dataFolder, 'first-key') }, `${name}: at the second`)
    return { clock, store, dataFolder, again, key: await keyIn(store, dataFolder) }
  }

  const deleted = await start('deleted')
  await deleted.store.delete('keys', [deleted.key.id])
  t.equal(await deleted.again(), null, 'it was deleted')
  const token = `wk_${'x'.repeat(32)}`
  await deleted.store.insert('keys', [{ ...deleted.key, id: 'another000', rev: 1, tokenHash: hashToken(token) }])
  writeFileSync(join(deleted.dataFolder, 'first-key'), `${token}\n`)
  t.match(await deleted.again(), { path: join(deleted.dataFolder, 'first-key') }, 'another one was put into the file')

  const expired = await start('expired')
  await expired.clock.advance(limits.key.lifeMs)
  t.equal(await expired.again(), null, 'it has lived its time')

  const disabled = await start('disabled')
  const [owner] = await disabled.store.get('users', [disabled.key.userId])
  await disabled.store.upsert('users', [{ ...owner, rev: 9, disabled: true } as never])
  t.equal(await disabled.again(), null, 'its owner is disabled')
})

t.test('file with the first key of an earlier installation is renamed, and an already offered key is used', async t => {
  const clock = createHandClock()
  const dataFolder = t.testdir({ 'first-key': 'of an earlier one\n', 'first-key.1': 'of the one before\n' })
  const read = (name: string) => readFileSync(join(dataFolder, name), 'utf8')
  const store = createMemoryStore()
  t.match(await prepareFirstKey({ store, clock }, { dataFolder, location: 'local' }), { path: join(dataFolder, 'first-key') })
  t.same(readdirSync(dataFolder).sort(), ['first-key', 'first-key.1', 'first-key.2'])
  t.equal(read('first-key.1'), 'of the one before\n')
  t.equal(read('first-key.2'), 'of an earlier one\n')

  // Imitates a start that has written the file with the key and ended before it stored the key.
  const ended = createMemoryStore()
  const { firstKey } = await bootstrap({ store: ended, clock }, { location: 'local' })
  writeFileSync(join(dataFolder, 'first-key'), `${firstKey}\n`)
  t.match(await prepareFirstKey({ store: ended, clock }, { dataFolder, location: 'local' }), {
    path: join(dataFolder, 'first-key'),
  })
  t.equal(read('first-key'), `${firstKey}\n`)
  t.same(readdirSync(dataFolder).length, 3, 'nothing was moved')
})
