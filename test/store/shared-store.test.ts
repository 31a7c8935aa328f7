// The shared store of cluster tests: the contract of the port over its connection, races of several connections, and a server that is killed,
// frozen, or cut off in the middle of a call.
import t, { type Test } from 'tap'
import { limits } from '#shared/limits/limits.ts'
import { openMongodbStore } from '#shared/store/mongodb/mongodb.ts'
import { startCuttingProxy } from '../support/bus/cutting-proxy.ts'
import { openSharedStore } from '../support/store/shared/client.ts'
import { startSharedStore } from '../support/store/shared/start-shared-store.ts'
import { suspend } from '../support/suspend.ts'
import { storeContract } from './contract.ts'
import { subject } from './documents.ts'

const away = { name: 'StoreError', kind: 'unavailable' }

async function serve(t: Test) {
  const server = await startSharedStore()
  t.teardown(() => server.stop())
  const open = async (url = server.url) => {
    const store = await openSharedStore(url)
    t.teardown(() => store.close())
    return store
  }
  return { server, open }
}

t.test('store shared by processes', async t => {
  const { open } = await serve(t)
  await storeContract(t, open, { rounds: 200 })
})

t.test('exactly one of several connections wins each guarded replace', async t => {
  const { open } = await serve(t)
  const stores = await Promise.all(Array.from({ length: 8 }, () => open()))
  const wrong: string[] = []
  for (let rev = 1; rev <= 100; rev++) {
    const results = await Promise.all(
      stores.map((store, n) => store.replace('subjects', [subject('raced', { rev, writer: `writer-${n}` })])),
    )
    const winners = results.flatMap(([result], n) => (result === 'written' ? [n] : []))
    const [stored] = await stores[0]!.get('subjects', ['raced'])
    if (winners.length !== 1 || stored?.writer !== `writer-${winners[0]}`) wrong.push(`revision ${rev}: ${winners} won`)
  }
  t.strictSame(wrong, [])
})

t.test('a killed server keeps what it acknowledged, and its clients find it again', async t => {
  const { server, open } = await serve(t)
  const store = await open()
  t.same(await store.replace('subjects', [subject('kept')]), ['written'])
  await server.kill()
  const waiting = store.replace('subjects', [subject('kept', { rev: 2 })])
  await server.start()
  t.same(await waiting, ['written'], 'a call waits for the server')
  await server.kill()
  await t.rejects(store.ping(), away, 'but not longer than a call may take')
  await server.start()
  const [found] = await store.get('subjects', ['kept'])
  t.equal(found?.rev, 2)
})

t.test('a call to a frozen server is unavailable, and its late response confuses nothing', async t => {
  const { server, open } = await serve(t)
  const store = await open()
  await suspend(server.pid())
  const startedAt = performance.now()
  await t.rejects(store.replace('subjects', [subject('slow', { writer: 'first' })]), away)
  t.ok(performance.now() - startedAt >= limits.store.answerMs - 1)
  server.thaw()
  t.same(await store.get('subjects', ['nobody']), [null])
  t.same(await store.replace('subjects', [subject('slow', { writer: 'first' })]), ['written'], 'the same write again is its own')
  t.same(await store.replace('subjects', [subject('slow', { writer: 'second' })]), ['refused'])
})

t.test('a write with a lost response is unavailable, and its retry has the right result', async t => {
  const { server, open } = await serve(t)
  const proxy = await startCuttingProxy(server.port, 'cut here')
  t.teardown(() => proxy.stop())
  const store = await open(`mongodb://127.0.0.1:${proxy.port}/`)
  for (const [rev, what] of [
    [1, 'answer'],
    [2, 'question'],
  ] as const) {
    const written = subject('lost', { rev, writer: `cut here ${rev}` })
    proxy.loseNext(what)
    await t.rejects(store.replace('subjects', [written]), away)
    t.same(await store.replace('subjects', [written]), ['written'], `after a lost ${what}`)
    t.same(await store.replace('subjects', [{ ...written, writer: 'other' }]), ['refused'])
  }
  t.equal(proxy.lost(), 2)
})

t.test('a connection that speaks anything else is closed, and others go on', async t => {
  const { server, open } = await serve(t)
  const store = await open()
  const response = await fetch(`http://127.0.0.1:${server.port}/`).catch(() => null)
  t.equal(response, null)
  await store.ping()
})

t.test('a program that is started as usual can not use the shared store', async t => {
  const { server, open } = await serve(t)
  await t.rejects(openMongodbStore(`${server.url}?serverSelectionTimeoutMS=500`), away)
  await (await open()).ping()
})
