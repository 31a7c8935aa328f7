// Custom subjects when another keeper takes over their partition: reports, series and silences stay as they were.
import t from 'tap'
import { subjects } from '#shared/bus/subjects.ts'
import { minute } from '../world.ts'
import { createCustom, reported } from './custom-world.ts'

t.test('successor continues windows, silences and holds when the first keeper dies', async t => {
  const house = await createCustom()
  await house.signal('beat')
  await house.rule('down', [{ signal: 'beat' }], { confirmAfterMs: minute })
  await house.report('beat', 'ok')
  await house.must({ kind: 'start-maintenance', endsAt: house.clock.now() + 3 * minute, by: 'Ann' })
  house.hub.cut(house.keeper.bus)
  await house.startOne({ keeperId: 'rival' })
  await house.clock.advance(20_000)
  t.match(
    await house.report('beat', 'ok', { observedAtUs: (house.clock.now() - 60_000) * 1_000 }),
    { result: { rejectReason: 'out_of_order' } },
    'the newest of a set of labels is remembered',
  )
  await house.clock.advance(7 * minute)
  t.equal((await house.subject(house.id))?.maintenance, null)
  t.strictSame(await house.kinds(), ['no_data'], 'silent after 5 minutes, confirmed a minute later, when the window was over')
})

t.test('successor knows the reports that came after the last write of their subject', async t => {
  const house = await createCustom()
  await house.signal('beat')
  await house.rule('down', [{ signal: 'beat' }, { signal: 'beat', match: { zone: 'a' } }], { confirmAfterMs: 0 })
  for (let i = 0; i < 8; i++) {
    for (const labels of [{}, { zone: 'a' }]) await house.report('beat', 'ok', { labels })
    await house.clock.advance(minute)
  }
  const written = (await house.subject(house.id))?.judgedAt ?? 0
  t.ok(house.clock.now() - written > 6 * minute, 'the document is older than silence takes')
  house.hub.cut(house.keeper.bus)
  await house.startOne({ keeperId: 'successor' })
  await house.clock.advance(3 * minute)
  await house.report('beat', 'ok', { labels: { zone: 'b' } })
  t.strictSame(await house.kinds(), [], 'silence counts from the newest report of each')
  t.equal(await house.verdict('down'), 'ok')
  await house.clock.advance(2 * minute)
  t.strictSame(await house.kinds(), ['no_data'])
})

t.test(
  'rule reads the report that arrived last when two series have the same instant, also after a take-over by another keeper',
  async t => {
    for (const [first, last] of [
      ['a', 'b'],
      ['b', 'a'],
    ] as const) {
      const house = await createCustom()
      for (const name of ['beat', 'other']) await house.signal(name, 'custom_event')
      await house.rule('down', [{ signal: 'beat' }, { signal: 'other' }], { need: 'all', confirmAfterMs: 0, closeAfterMs: 0 })
      const observedAtUs = house.clock.now() * 1_000
      const observations = [
        { signal: 'beat', ...reported, status: 'problem', observedAtUs, labels: { zone: first } },
        { signal: 'beat', ...reported, status: 'ok', observedAtUs, labels: { zone: last } },
      ]
      await house.must({ kind: 'report-observations', observations })
      house.hub.cut(house.keeper.bus)
      await house.startOne({ keeperId: 'successor' })
      await house.clock.advance(20_000)
      await house.report('other', 'problem')
      t.equal(await house.verdict('down'), 'ok', `${first}, then ${last}`)
      t.strictSame(await house.kinds(), [])
    }
  },
)

t.test(
  'observation that is sent again to a successor replaces its earlier report, even if no rule has read that report',
  async t => {
    const house = await createCustom()
    await house.signal('beat', 'custom_event')
    const observedAtUs = house.clock.now() * 1_000
    for (let i = 4; i >= 0; i--) await house.report('beat', 'ok', { observedAtUs: observedAtUs - i })
    house.hub.cut(house.keeper.bus)
    await house.startOne({ keeperId: 'successor' })
    await house.clock.advance(20_000)
    await house.rule('down', [{ signal: 'beat' }], { confirmAfterMs: 0 })
    t.equal(await house.verdict('down'), 'ok')
    t.match(await house.report('beat', 'problem', { observedAtUs }), { result: { accepted: true } })
    t.equal(await house.verdict('down'), 'problem')
  },
)

t.test('input is not silent right after a take-over, even if there is no checkpoint', async t => {
  const house = await createCustom()
  await house.signal('beat')
  await house.rule('down', [{ signal: 'beat' }], { confirmAfterMs: 0 })
  // A report that the keeper stamps is written with its subject, so the partition never writes a checkpoint.
  await house.report('beat', 'ok', { observedAtUs: null })
  await Promise.all([house.keeper.service.stop(), house.clock.advance(100)])
  t.equal(await house.store.count('checkpoints', {}), 0)
  await house.clock.advance(12 * minute)
  await house.startOne()
  await house.clock.advance(21_000)
  await house.report('beat', 'ok', { observedAtUs: null })
  await house.clock.advance(11 * minute)
  t.strictSame(await house.kinds(), [])
  await house.clock.advance(minute)
  t.strictSame(await house.kinds(), ['no_data'], 'and real silence is seen')
})

t.test('silent input stays silent for a successor whatever the age of the checkpoint', async t => {
  const house = await createCustom()
  await house.signal('beat')
  await house.signal('other', 'custom_event')
  await house.rule('down', [{ signal: 'beat' }, { signal: 'other' }], { confirmAfterMs: 0, closeAfterMs: 0 })
  for (let i = 0; i < 2; i++) await house.report('beat', 'ok')
  await house.clock.advance(10 * minute)
  t.equal(await house.store.count('checkpoints', {}), 1, 'written with the second report')
  t.strictSame(await house.kinds(), ['no_data'])
  house.hub.cut(house.keeper.bus)
  await house.startOne({ keeperId: 'successor' })
  await house.clock.advance(11_000)
  t.match(await house.report('other', 'ok'), { ok: true })
  t.equal(await house.verdict('down'), 'no_data')
  await house.clock.advance(minute)
  t.strictSame(await house.kinds(), ['no_data'], 'nobody is told of a recovery that was none')
})

t.test('report that a keeper stored before its death is judged by the next keeper', async t => {
  const dying = { now: false }
  const house = await createCustom(store => ({
    ...store,
    putInOrder: async puts => {
      if (!dying.now) return await store.putInOrder(puts)
      await store.putInOrder(puts.filter(({ collection }) => collection !== 'subjects'))
      return await new Promise<never>(() => undefined)
    },
  }))
  await house.signal('beat')
  await house.rule('down', [{ signal: 'beat' }], { confirmAfterMs: 0 })
  await house.report('beat', 'ok')
  dying.now = true
  const reportedAt = house.clock.now()
  const command = { kind: 'report-observation', id: 'last', signal: 'beat', observedAtUs: reportedAt * 1_000, ...reported }
  const asked = house.client.request(subjects.command(house.id), { ...command, status: 'problem' }, { timeoutMs: 1_000 })
  asked.catch(() => undefined)
  await house.clock.settle()
  house.hub.cut(house.keeper.bus)
  dying.now = false
  t.equal(await house.verdict('down'), 'ok', 'not judged')
  await house.startOne({ keeperId: 'successor' })
  await house.clock.advance(20_000)
  await house.report('beat', 'problem', { observedAtUs: (reportedAt - 1) * 1_000 })
  const [incident] = await house.incidents(house.id)
  t.match(incident, { status: 'problem', troubleSince: reportedAt }, 'as of the instant at which it was reported')
})

t.test('acknowledged reports still count when a predecessor writes their subject late', async t => {
  const house = await createCustom()
  await house.signal('beat')
  await house.signal('other', 'custom_event')
  await house.rule('down', [{ signal: 'beat' }, { signal: 'other' }], { confirmAfterMs: 0 })
  await house.report('beat', 'ok')
  const late = await house.subject(house.id)
  for (let i = 0; i < 4; i++) {
    await house.clock.advance(minute)
    await house.report('beat', 'ok')
  }
  if (late === null) throw new Error('no subject')
  await house.store.replace('subjects', [{ ...late, rev: late.rev + 1, writer: 'predecessor' }])
  t.match(await house.report('other', 'ok'), { ok: true }, 'refused, read and stepped again')
  await house.clock.advance(3 * minute)
  t.strictSame(await house.kinds(), [], 'the reports of the last minutes still count')
  t.equal(await house.verdict('down'), 'ok')
})

t.test('keeper reads a series again when another keeper has replaced it', async t => {
  const house = await createCustom()
  await house.signal('run', 'custom_event')
  await house.rule('down', [{ signal: 'run' }], { confirmAfterMs: 0 })
  const at = house.clock.now() * 1_000
  await house.report('run', 'ok', { observedAtUs: at })
  const [series] = await house.store.find('series', { where: { subjectId: house.id }, limit: 1 })
  if (series === undefined) throw new Error('no series')
  const overtaken = { rev: series.rev + 1, writer: 'rival', observedAtUs: at + 2, number: 2, status: 'problem' } as const
  await house.store.replace('series', [{ ...series, ...overtaken }])
  t.match(await house.report('run', 'ok', { observedAtUs: at + 1 }), { ok: true })
  t.equal(await house.verdict('down'), 'problem')
  t.match(await house.store.get('series', [series.id]), [{ observedAtUs: at + 2, status: 'problem' }])
})
