// Reports on custom subjects in the keeper: which rows and series are stored, and which replies are sent (reference/custom-subjects 4).
import t from 'tap'
import { subjects } from '#shared/bus/subjects.ts'
import type { Reply } from '#shared/contracts/ask/reply.ts'
import type { IdempotencyRecord } from '#shared/contracts/subjects/subject.ts'
import { limits } from '#shared/limits/limits.ts'
import type { Store } from '#shared/store/port.ts'
import { noReports } from '../../../services/keeper/loading/stored-reports.ts'
import { remembered } from '../../../services/keeper/step/commands/idempotency.ts'
import { step } from '../../../services/keeper/step/step.ts'
import { nothingHeld } from '../../../services/keeper/step/types.ts'
import { countPushed, pushedRows } from '../../support/worlds/pushed-rows.ts'
import { noTemplates } from '../resources/no-templates.ts'
import { minute } from '../world.ts'
import { createCustom, day, hour, reported } from './custom-world.ts'

t.test('report is stored with the reason of its refusal when the keeper refuses it', async t => {
  const house = await createCustom()
  await house.signal('beat')
  await house.rule('down', [{ signal: 'beat' }], { confirmAfterMs: 0 })
  const now = house.clock.now()
  await house.report('beat', 'ok', { observedAtUs: now * 1_000 })
  const cases: [string, object, string][] = [
    ['61 s in the future', { observedAtUs: (now + 62_000) * 1_000 }, 'clock_skew'],
    ['50 s in the future', { observedAtUs: (now + 50_000) * 1_000, labels: { other: 'x' } }, 'accepted'],
    ['a day and a minute old, another set of labels', { observedAtUs: (now - day - minute) * 1_000, labels: { a: 'b' } }, 'late'],
    ['older than it is kept', { observedAtUs: (now - 31 * day) * 1_000 }, 'out_of_retention'],
    ['older than the newest of the same labels', { observedAtUs: (now - 1_000) * 1_000 }, 'out_of_order'],
    ['a microsecond older', { observedAtUs: now * 1_000 - 1 }, 'out_of_order'],
    ['older, but of labels that reported nothing', { observedAtUs: (now - 1_000) * 1_000, labels: { zone: 'x' } }, 'accepted'],
    ['of the very same instant', { observedAtUs: now * 1_000 }, 'accepted'],
  ]
  for (const [title, over, reason] of cases) {
    const reply = await house.report('beat', 'ok', over)
    t.match(reply, { ok: true, result: { rejectReason: reason, accepted: reason === 'accepted' } }, title)
  }
  const rows = await pushedRows(house.store, house.id)
  t.equal(rows.length, 8, 'each is stored once: the same instant replaced what was there')
  await house.report('beat', 'problem', { observedAtUs: (now - 2_000) * 1_000 })
  t.equal((await house.incidents(house.id)).length, 0, 'what is not accepted is never judged')
})

t.test('observation that is sent again replaces its row, is accepted as before and is judged again', async t => {
  const house = await createCustom()
  await house.signal('beat')
  await house.rule('down', [{ signal: 'beat' }], { confirmAfterMs: 0 })
  const observedAtUs = house.clock.now() * 1_000
  await house.report('beat', 'problem', { observedAtUs, labels: { b: '1', a: '2' } })
  t.equal((await house.incidents(house.id))[0]?.status, 'problem')
  const again = await house.report('beat', 'ok', { observedAtUs, labels: { a: '2', b: '1' } })
  t.match(again, { ok: true, result: { accepted: true } })
  t.equal((await house.incidents(house.id))[0]?.status, 'recovering', 'judged again')
  const rows = await pushedRows(house.store, house.id)
  t.strictSame(
    rows.map(row => row.ok),
    [1],
    'the order of labels says nothing',
  )
  await house.report('beat', 'ok', { observedAtUs: observedAtUs + 5_000_000, labels: { a: '2', b: '1' } })
  t.match(await house.report('beat', 'problem', { observedAtUs, labels: { a: '2', b: '1' } }), {
    result: { rejectReason: 'accepted' },
  })
  t.equal(await house.verdict('down'), 'ok', 'a newer one counts')
})

t.test('observation without an instant is stored once when a retry repeats it', async t => {
  const house = await createCustom()
  await house.signal('beat')
  const command = { kind: 'report-observation', id: 'once', signal: 'beat', observedAtUs: null, ...reported, status: 'ok' }
  const first = await house.send(command)
  await house.clock.advance(1_000)
  t.strictSame(await house.send(command), first)
  t.equal((await pushedRows(house.store, house.id)).length, 1)
})

t.test('stored replies to commands and stamped instants are kept when many reports follow', async t => {
  const house = await createCustom()
  const create = { kind: 'create-signal', id: 'create-once', name: 'run', signalKind: 'custom_event', meta: '{}', convert: false }
  const created = await house.send(create)
  const send = (number: number) => house.report('run', 'ok', { id: `report-${number}`, observedAtUs: null, value: number })
  const answers: Reply[] = []
  for (let number = 0; number < 40; number++) {
    answers.push(await send(number))
    await house.clock.advance(1)
  }
  await house.clock.advance(1_000)
  const repeated: Reply[] = []
  for (let number = 0; number < 40; number++) repeated.push(await send(number))
  t.strictSame(repeated, answers, 'each is answered word for word')
  t.equal(await countPushed(house.store, house.id), 40, 'and stored once')
  t.strictSame(await house.send(create), created, 'a signal whose answer was lost is not refused as taken')
  await house.clock.advance(minute)
  await send(1_000)
  const idempotency = (await house.subject(house.id))?.idempotency ?? []
  t.strictSame(
    idempotency.filter(({ reply }) => reply === null).map(({ id }) => id),
    ['report-1000'],
    'stamps are forgotten soon',
  )
})

t.test('expired replies are removed by the next report that changes a verdict', async t => {
  const house = await createCustom()
  await house.signal('beat')
  await house.rule('down', [{ signal: 'beat' }])
  const idsOf = async () => (await house.subject(house.id))?.idempotency.length
  await house.report('beat', 'ok')
  t.equal(await idsOf(), 3, 'of the subject, its signal and its rule')
  await house.clock.advance(limits.keeper.idempotencyAgeMs)
  await house.report('beat', 'problem')
  t.equal(await idsOf(), 0)
})

t.test('command is not refused as `not_found` when the partition of its subject closes while the command is read', async t => {
  const ways: Record<string, (house: Awaited<ReturnType<typeof createCustom>>) => Promise<void> | void> = {
    'handed over': house => house.keeper.service.stop(),
    'opened anew': house => {
      house.hub.cut(house.keeper.bus)
      house.hub.restore(house.keeper.bus)
    },
  }
  for (const [way, close] of Object.entries(ways)) {
    const gate = { ...Promise.withResolvers<void>(), reached: false, shut: false }
    const gated = (store: Store): Store => ({
      ...store,
      get: async (collection, ids) => {
        const found = await store.get(collection, ids)
        if (collection !== 'pushedObservations' || !gate.shut) return found
        gate.reached = true
        await gate.promise
        return found
      },
    })
    const house = await createCustom(gated)
    await house.signal('beat')
    gate.shut = true
    const command = { kind: 'report-observation', id: 'once', signal: 'beat', observedAtUs: 1_000, ...reported, status: 'ok' }
    const asked = house.client
      .request(subjects.command(house.id), command, { timeoutMs: 5_000 })
      .catch((error: Error) => error.message)
    await house.clock.settle()
    t.equal(gate.reached, true, `${way}: the round reads what it needs`)
    const closing = close(house)
    await house.clock.settle()
    gate.shut = false
    gate.resolve()
    await house.clock.advance(5_000)
    t.notMatch(await asked, { error: { code: 'not_found' } }, way)
    await closing
    if (way === 'handed over') await house.startOne({ exclusive: true })
    t.match(await house.send(command), { ok: true }, `${way}: asked again, it is answered`)
    t.equal(await countPushed(house.store, house.id), 1)
  }
})

t.test('observations without an instant are all accepted and stored when they arrive in one millisecond', async t => {
  const house = await createCustom()
  await house.signal('beat')
  const command = { kind: 'report-observation', signal: 'beat', observedAtUs: null, ...reported, status: 'ok' }
  const { kind: _, ...one } = command
  const batch = { kind: 'report-observations', id: 'batch', observations: [one, one, one] }
  const replies = await Promise.all([house.send({ ...command, id: 'a' }), house.send({ ...command, id: 'b' }), house.send(batch)])
  t.match(replies.slice(0, 2), [{ result: { accepted: true } }, { result: { accepted: true } }])
  const rows = await pushedRows(house.store, house.id)
  t.equal(new Set(rows.map(row => row.observedAtUs)).size, 5)
  t.strictSame(await house.send(batch), replies[2], 'repeated, a batch replaces itself')
  t.equal((await pushedRows(house.store, house.id)).length, 5)
})

t.test(
  'after a set-back of the clock an observation is accepted if the keeper stamps it, and refused if its sender does',
  async t => {
    const house = await createCustom()
    await house.signal('beat')
    await house.rule('down', [{ signal: 'beat' }], { confirmAfterMs: 0 })
    t.match(await house.report('beat', 'ok', { observedAtUs: null }), { result: { rejectReason: 'accepted' } })
    house.clock.stepWall(-hour)
    t.match(await house.report('beat', 'problem', { observedAtUs: null }), { result: { rejectReason: 'accepted' } })
    t.equal(await house.verdict('down'), 'problem')
    const ahead = (house.clock.now() + 61_000) * 1_000
    t.match(await house.report('beat', 'ok', { observedAtUs: ahead }), { result: { rejectReason: 'clock_skew' } })
  },
)

t.test('report that changes no verdict is stored with its series, and its subject is not written', async t => {
  const writes: string[] = []
  const house = await createCustom(store => ({
    ...store,
    putInOrder: async puts => {
      writes.push(puts.flatMap(({ collection, documents }) => (documents.length > 0 ? [collection] : [])).join(' '))
      return await store.putInOrder(puts)
    },
  }))
  await house.signal('beat')
  await house.rule('down', [{ signal: 'beat' }], { confirmAfterMs: 0 })
  const statuses = ['ok', 'ok', 'problem', 'problem'] as const
  writes.length = 0
  for (const status of statuses) {
    t.match(await house.report('beat', status, { value: writes.length }), { ok: true, result: { accepted: true } })
    const seen = writes.splice(0).filter(names => names.includes('pushed'))
    t.strictSame(seen.length, 1, 'one write for all of it')
    t.equal(seen[0], `pushedObservations series${seen[0]?.endsWith('subjects') ? ' subjects' : ''}`)
  }
  const before = await house.subject(house.id)
  for (let i = 0; i < 3; i++) await house.report('beat', 'problem', { value: i })
  const after = await house.subject(house.id)
  t.equal(after?.judgedAt, before?.judgedAt, 'the document is as it was')
  const [series] = await house.store.find('series', { where: { subjectId: house.id }, limit: 9 })
  t.match(series, { value: 2, status: 'problem', subjectRev: after?.rev, observedAtUs: (house.clock.now() - 1) * 1_000 })
})

t.test('newest report of a series is remembered as long as the rows of the series are kept', async t => {
  const house = await createCustom()
  await house.signal('beat')
  await house.report('beat', 'ok')
  await house.clock.advance(minute)
  const at = house.clock.now()
  await house.report('beat', 'ok')
  const [series] = await house.store.find('series', { where: { subjectId: house.id }, limit: 9 })
  const keptMs = (series?.expireAt ?? 0) - at
  t.ok(keptMs >= limits.retention.pushedMs && keptMs <= limits.retention.pushedMs + hour, `${keptMs} ms`)
})

t.test("keeper accepts a sender's newer reports without a read of the store, and recognizes repeated reports", async t => {
  const reads: string[] = []
  const house = await createCustom(store => ({
    ...store,
    get: async (collection, ids) => {
      reads.push(`${collection} ${ids.length}`)
      return await store.get(collection, ids)
    },
    find: async (collection, query) => {
      reads.push(`find ${collection}`)
      return await store.find(collection, query)
    },
  }))
  await house.signal('beat')
  await house.rule('down', [{ signal: 'beat' }], { confirmAfterMs: 0 })
  const startedAt = house.clock.now()
  const at = (ms: number) => ({ observedAtUs: (startedAt + ms) * 1_000 })
  await house.report('beat', 'ok', at(0))
  await house.report('beat', 'ok', at(1))
  reads.length = 0
  for (let ms = 2; ms < 9; ms++) t.match(await house.report('beat', 'ok', at(ms)), { result: { accepted: true } })
  t.strictSame(reads, [], 'newer than all before')
  const early = { result: { rejectReason: 'clock_skew' } }
  t.match(await house.report('beat', 'problem', at(5 * minute)), early)
  await house.clock.advance(4.5 * minute)
  await house.report('beat', 'ok', at(4 * minute))
  reads.length = 0
  t.match(await house.report('beat', 'problem', at(5 * minute)), early, 'sent again it keeps its reason')
  t.strictSame(reads, ['pushedObservations 1'])
  t.match(await house.report('beat', 'ok', at(3)), { result: { accepted: true } }, 'and an old one its acceptance')
  t.match(await house.report('beat', 'ok', at(10)), { result: { rejectReason: 'out_of_order' } })
  t.equal(await countPushed(house.store, house.id), 12)
  for (let i = 0; i < 2 * limits.keeper.seriesInMemory; i++)
    await house.report('beat', 'ok', { ...at(11), labels: { i: `${i}` } })
  t.match(
    await house.report('beat', 'ok', at(10)),
    { result: { rejectReason: 'out_of_order' } },
    'also among many sets of labels',
  )
})

t.test('long text of a sender is stored whole in its row and shortened in the verdict', async t => {
  const house = await createCustom()
  await house.signal('beat', 'custom_event')
  await house.rule('down', [{ signal: 'beat' }], { confirmAfterMs: 0 })
  const error = '😀'.repeat(2_000)
  await house.report('beat', 'problem', { error })
  const [row] = await pushedRows(house.store, house.id)
  t.equal(row?.error, error)
  const [entry] = await house.history(house.id)
  t.equal(entry?.evidence?.inputs[0]?.reason, '😀'.repeat(300), 'as many as a message shows (reference/messages 5.3)')
})

t.test('repeated report without an instant replaces no later report of the same millisecond', async t => {
  const house = await createCustom()
  await house.signal('beat')
  const command = { kind: 'report-observation', signal: 'beat', observedAtUs: null, ...reported, status: 'ok' }
  await Promise.all(['a', 'b', 'a', 'c'].map((id, value) => house.send({ ...command, id, value })))
  t.strictSame((await pushedRows(house.store, house.id)).map(({ value }) => value).sort(), [1, 2, 3], 'b, a again, and c')
})

t.test('reports of one round count as if each report had its own round', async t => {
  const house = await createCustom()
  await house.signal('run', 'custom_event')
  await house.signal('beat')
  const at = (ms: number) => ({ observedAtUs: (house.clock.now() + ms) * 1_000 })
  await Promise.all([house.report('run', 'problem', at(0)), house.rule('down', [{ signal: 'run' }])])
  t.equal(await house.verdict('down'), 'problem', 'a rule reads what was reported just before it')
  const sent = await Promise.all([
    house.report('beat', 'ok', at(-2_000)),
    house.report('beat', 'ok', at(-1_000)),
    house.report('beat', 'problem', at(-2_000)),
  ])
  t.match(sent[2], { result: { accepted: true } }, 'sent again, it keeps its acceptance')
  const behind = await Promise.all([house.report('beat', 'ok', at(-500)), house.report('beat', 'problem', at(-600))])
  t.match(behind, [{ result: { accepted: true } }, { result: { rejectReason: 'out_of_order' } }])
  await house.rule('quiet', [{ signal: 'beat' }], { confirmAfterMs: 0 })
  await Promise.all([house.report('beat', 'problem', at(0)), house.report('beat', 'problem', at(1))])
  const incidents = (await house.incidents(house.id)).filter(({ ruleKey }) => ruleKey === 'r2')
  t.match(incidents, [{ status: 'problem' }], 'one that says nothing new takes back no commit')
})

t.test('last 16 replies are kept, one for each command', t => {
  const { idempotencyRecords: most } = limits.keeper
  let kept: IdempotencyRecord[] = []
  for (let at = 0; at < most + 4; at++) kept = remembered(kept, { id: `c${at}`, at, reply: '{}' })
  t.strictSame(
    kept.map(({ id }) => id),
    Array.from({ length: most }, (_, i) => `c${i + 4}`),
  )
  const again = remembered(remembered([], { id: 'r', at: 1, reply: null }), { id: 'r', at: 2, reply: null })
  t.match(again, [{ id: 'r', at: 2 }])
  t.equal(again.length, 1)
  t.end()
})

t.test('each report of a batch finds the earlier reports of the batch as if they were stored', async t => {
  const house = await createCustom()
  await house.signal('beat')
  const now = house.clock.now() * 1_000
  const one = (observedAtUs: number) => ({ signal: 'beat', ...reported, status: 'ok', observedAtUs })
  const observations = [one(now - 2_000), one(now), one(now - 2_000), one(now - 1_000)]
  const { results } = (await house.must({ kind: 'report-observations', observations })) as { results: object[] }
  const reasons = ['accepted', 'accepted', 'accepted', 'out_of_order']
  t.match(
    results,
    reasons.map(rejectReason => ({ ok: true, observation: { rejectReason } })),
  )
  const refusedRow = (await house.store.find('pushedObservations', { where: {}, limit: 9 })).find(
    row => row.rejectReason !== null,
  )
  t.equal(
    refusedRow?.expireAt,
    house.clock.now() - 1 + limits.retention.pushedMs,
    'what is never judged leaves on a day of its own',
  )
  const two = { kind: 'report-observations', observations: [one(now + 2_000), one(now + 1_000)] }
  t.match(await house.must(two), { results: [{ ok: true }, { observation: { rejectReason: 'out_of_order' } }] }, 'of two also')
})

t.test('report that changes no verdict leaves the earlier deadlines of its input in force', async t => {
  const house = await createCustom()
  await house.signal('run', 'custom_event')
  await house.rule('down', [{ signal: 'run' }], { confirmAfterMs: minute })
  await house.report('run', 'problem')
  const subject = await house.subject(house.id)
  const now = house.clock.now() + 2 * minute
  const command = {
    kind: 'report-observation',
    id: 'r',
    signal: 'run',
    ...reported,
    status: 'problem',
    observedAtUs: now * 1_000,
  }
  const context = { now, held: nothingHeld, confirmAfterMs: 0, closeAfterMs: 0, templateOf: noTemplates, stored: noReports }
  const stepped = step(subject, { kind: 'command', subjectId: house.id, at: now, command: command as never }, context)
  t.equal(stepped.change, 'commit')
  t.equal(stepped.subject?.rules[0]?.incident?.value, 'problem')
})
