// Secrets that the directory seals anew after the installation got another key, on an SQLite store, with a keeper that steps commands as the
// real one does.
import { join } from 'node:path'
import { pino } from 'pino'
import { Registry } from 'prom-client'
import t, { type Test } from 'tap'
import { createDirectoryClient, createKeeperClient } from '#shared/bus/clients/clients.ts'
import type { Resealed } from '#shared/contracts/ask/ask-secrets.ts'
import { limits } from '#shared/limits/limits.ts'
import { knownSealingKey, noteSealingKey } from '#shared/secrecy/known-sealing-key.ts'
import { sealingKeyOf } from '#shared/secrecy/sealed-form.ts'
import { createSeals, newSealingKey, type Seals } from '#shared/secrecy/seals.ts'
import { openSqliteStore } from '#shared/store/sqlite/sqlite.ts'
import { startDirectory } from '../../services/directory/app.ts'
import { shop } from '../keeper/resources/shop.ts'
import { createMemoryHub } from '../support/bus/memory-bus.ts'
import { createHandClock } from '../support/hand-clock.ts'
import { startFakeKeeper } from '../support/worlds/fake-keeper.ts'

const [old, next] = [newSealingKey(), newSealingKey()]
const sealsOf = (key: string) => createSeals(key) as Seals
const rotating = `${next},${old}`

async function setStage(t: Test) {
  const store = await openSqliteStore(join(t.testdir(), 'secrets.db'))
  const clock = createHandClock()
  const hub = createMemoryHub({ clock })
  const keeper = await startFakeKeeper(hub.connect(), store, clock)
  const around = () => ({ bus: hub.connect(), clock, store, logger: pino({ level: 'silent' }), metrics: new Registry() })
  const { ask } = createDirectoryClient(hub.connect(), clock)
  const { send } = createKeeperClient(hub.connect(), clock)
  let directory = await startDirectory(around(), { secretsKey: rotating })
  t.teardown(async () => {
    await directory.stop()
    await keeper.close()
    await store.close()
  })
  await ask('publish-template', { workspaceId: 'w1', manifest: shop })
  const made = { kind: 'create-resource' as const, workspaceId: 'w1', template: 'shop@1', labels: {} }
  return {
    store,
    keeper,
    ask,
    send,
    /** Kills the directory and starts another one. */
    restart: async (secretsKey: string) => {
      await directory.stop()
      directory = await startDirectory(around(), { secretsKey })
    },
    create: (id: string, hello: string) =>
      send(id, { ...made, id: `make-${id}`, slug: id, name: id, answers: { host: 'shop.example', places: ['aaaa'], hello } }),
    helloOf: async (id: string) => (await store.get('subjects', [id]))[0]?.templated?.answers['hello'],
    /** Asks page by page, at most `pages` of them. */
    reseal: async (pages = 100) => {
      const answers: Resealed[] = []
      for (let after: string | null = null; answers.length < pages; ) {
        const answer: Resealed = await ask('reseal-secrets', { after })
        answers.push(answer)
        if (answer.next === null) break
        after = answer.next
      }
      return answers
    },
  }
}

const sum = (answers: readonly Resealed[], of: 'seen' | 'resealed') => answers.reduce((all, answer) => all + answer[of], 0)

t.test('run that a kill interrupted goes on, until every secret has the new key and reads as before', async t => {
  const { ask, store, create, helloOf, reseal, restart } = await setStage(t)
  const ids = Array.from({ length: limits.directory.resealedAtOnce + 4 }, (_, i) => `shop${String(i).padStart(6, '0')}`)
  for (const id of ids) await create(id, sealsOf(old).seal(`hello from ${id}`))
  const [first] = await reseal(1)
  t.match(first, { resealed: limits.directory.resealedAtOnce, failed: [], lost: [], keyId: sealsOf(next).keyId })
  await restart(rotating)
  const rest = await reseal()
  t.strictSame([sum(rest, 'seen'), sum(rest, 'resealed')], [ids.length, 4])
  for (const id of ids) {
    t.equal(sealingKeyOf(await helloOf(id)), sealsOf(next).keyId)
    t.equal(sealsOf(next).open(String(await helloOf(id))), `hello from ${id}`)
  }
  t.equal(sum(await reseal(), 'resealed'), 0, 'nothing is left')
  await noteSealingKey(store, sealsOf(old).keyId)
  await t.rejects(ask('settle-sealing-key', { keyId: sealsOf(old).keyId }), { message: 'Directories have different keys' })
  await ask('settle-sealing-key', { keyId: sealsOf(next).keyId })
  t.equal(await knownSealingKey(store), sealsOf(next).keyId)
})

t.test('Resource that is archived is sealed anew, too; one whose secret no key opens is named, and stays', async t => {
  const { create, helloOf, reseal, send } = await setStage(t)
  await create('gone000000', sealsOf(old).seal('archived'))
  await send('gone000000', { kind: 'archive-resource', id: 'archive' })
  const strange = sealsOf(newSealingKey()).seal('nobody knows')
  await create('lost000000', strange)
  const [answer] = await reseal()
  t.match(answer, { resealed: 1, failed: [], lost: [{ id: 'lost000000', workspaceId: 'w1', why: /set it again/ }] })
  t.equal(sealsOf(next).open(String(await helloOf('gone000000'))), 'archived')
  t.equal(await helloOf('lost000000'), strange)
})

t.test('Resource whose keeper refuses is named, and the next run seals it anew', async t => {
  const { create, keeper, reseal } = await setStage(t)
  await create('shop000000', sealsOf(old).seal('one'))
  keeper.trouble = 'invalid_state'
  t.match(await reseal(), [{ resealed: 0, failed: [{ id: 'shop000000', name: 'shop000000' }] }])
  keeper.trouble = null
  t.match(await reseal(), [{ resealed: 1, failed: [] }])
})

t.test('directory without a key refuses', async t => {
  const { reseal, restart } = await setStage(t)
  await restart('')
  await t.rejects(reseal(), { message: 'The directory has no key for secrets' })
})
