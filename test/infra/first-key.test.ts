// The first key's file against the key that is stored: the lines that a start prints are made with the one and work by the other.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { hashToken } from '#shared/api-token.ts'
import { limits } from '#shared/limits.ts'
import type { Store } from '#shared/store/port.ts'
import { prepareFirstKey } from '../../infra/embedded/first-key.ts'
import { createHandClock } from '../support/hand-clock.ts'
import { createMemoryStore } from '../support/memory-store.ts'

t.test('a first key that no longer works is offered to nobody, and one that took its place is', async t => {
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
