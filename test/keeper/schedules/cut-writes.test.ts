// A keeper that dies between the writes of a ping: the client repeats it, and there is at most a second entry, never another state. Reference:
// docs/reference/v3.md, 17.8.
import t from 'tap'
import type { Reply } from '#shared/contracts/ask/reply.ts'
import { randomId } from '#shared/text/ids.ts'
import { cutting } from '../resources/resource-world.ts'
import { createWorld, minute } from '../world.ts'

const sent = { signal: 'run', exitStatus: null, run: null, method: 'POST', agent: '', from: '', value: null, reason: '' }
const ping = (action: 'start' | 'success' | 'fail') => ({ kind: 'ping', ...sent, action, body: { text: 'done\n', bytes: 5 } })

for (const after of [0, 1, 2, 3])
  t.test(`ping whose keeper dies after ${after} of its writes is stored once or twice, with one state (v3 17.8)`, async t => {
    const cut: { after: number | null } = { after: null }
    let opened = 0
    // Only the store of the first keeper is cut.
    const world = createWorld(store => (opened++ === 0 ? cutting(store, cut) : store))
    const keeper = await world.startOne({ exclusive: true })
    const id = randomId(10)
    const send = (body: object): Promise<Reply> => world.command(id, body as never)
    const made = { workspaceId: 'w', slug: 'job', name: 'Job', template: 'heartbeat-check@1', labels: {} }
    t.match(await send({ kind: 'create-resource', ...made, answers: { period: 3_600, grace: 300 } }), { ok: true })
    t.match(await send(ping('success')), { ok: true })
    await world.clock.advance(10 * minute)
    t.match(await send(ping('start')), { ok: true })
    await world.clock.advance(minute)
    cut.after = after
    let told: Reply | null = null
    void send(ping('fail')).then(
      reply => {
        told = reply
      },
      () => undefined,
    )
    await world.clock.advance(1_000)
    t.equal(told, null, 'nobody was told that it is stored')
    world.hub.cut(keeper.bus)
    await world.clock.advance(minute)
    await world.startOne({ exclusive: true })
    await world.clock.advance(minute)
    t.match(await send(ping('fail')), { ok: true, result: { taken: 'stored' } })
    const reply = await send({ kind: 'read-resource' })
    t.match(reply, {
      ok: true,
      result: { signals: [{ schedule: { state: 'down', startedAt: null, last: { state: 'problem' } } }] },
    })
    const rows = await world.store.find('pushedObservations', { limit: 100 })
    const ends = rows.filter(({ ok }) => ok === 0)
    t.ok(ends.length === 1 || ends.length === 2, `${ends.length} entries`)
    t.equal((await world.alerts(id)).filter(({ kind }) => kind === 'problem').length, 1, 'told once')
  })
