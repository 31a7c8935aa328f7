// Rounds of the keeper: idempotence, commits, time, failures and check entries, on memory bus and store with a clock that the test moves.
import { pino } from 'pino'
import t from 'tap'
import { keys, subjects } from '#shared/bus/subjects.ts'
import type { WebsiteEntry } from '#shared/checks/website/website.ts'
import { limits } from '#shared/limits/limits.ts'
import { type Put, type Store, StoreError } from '#shared/store/port.ts'
import { partitionOf } from '#shared/text/hash.ts'
import { checkObservationId, randomId } from '#shared/text/ids.ts'
import { alert } from '../store/documents.ts'
import { allEntries, entryAt, putPaged } from '../support/check-entries.ts'
import { createWorld, minute, websiteMeta } from './world.ts'

const second = 1_000

t.test('keeper writes observations, subjects and outbox before it sends replies', async t => {
  const order: string[] = []
  const world = createWorld(store => noting(store, order))
  await world.startOne({ exclusive: true, confirmAfterMs: 0 })
  // The checkpoint clears every outbox. The checkpoint of this subject's partition comes last, after the counted writes.
  const id = await world.create({}, 'keptSome02')
  order.length = 0
  await world.report(id, false)
  const writes = order.filter(entry => !entry.includes('get') && !entry.includes('find'))
  t.strictSame(writes.slice(0, 2), ['insert observations', 'replace subjects'])
  t.strictSame(writes.slice(2, 5).sort(), ['advance incidents', 'insert alerts', 'insert history'])
  t.strictSame(world.nudged, [`${id}.1.a1`], 'the nudge left after the alert was written')
  const subject = await world.subject(id)
  t.equal(subject?.hasOutbox, 1, 'the commit carries what it still had to write')
  order.length = 0
  await world.clock.advance(limits.keeper.outboxMs / 2)
  await world.report(id, true)
  const count = () => order.filter(entry => entry === 'replace subjects').length
  t.equal(count(), 1, 'changed again before that was cleared: written once')
  await world.clock.advance(limits.keeper.outboxMs - 100)
  t.equal((await world.subject(id))?.hasOutbox, 1)
  await world.clock.advance(200)
  t.equal((await world.subject(id))?.hasOutbox, 0, 'cleared in a while')
  t.equal(count(), 2)
})

t.test('idempotence', async t => {
  t.test('result with the last slot or an older slot is not judged, and a result with an older slot is stored', async t => {
    const world = createWorld()
    await world.startOne({ exclusive: true })
    const id = await world.create()
    const slotAt = world.clock.now()
    await world.report(id, true, { slotAt })
    await world.report(id, false, { slotAt })
    t.equal((await world.incidents(id)).length, 0, 'the first result of a slot wins')
    await world.report(id, false, { slotAt: slotAt - minute })
    t.equal((await world.incidents(id)).length, 0, 'an older slot is not judged')
    const kept = await world.store.get('observations', [
      checkObservationId(id, 'aaaa', slotAt),
      checkObservationId(id, 'aaaa', slotAt - minute),
    ])
    t.strictSame(
      kept.map(observation => observation?.ok),
      [1, 0],
    )
  })

  t.test('repeated command id gets the first reply byte for byte, even after a later change', async t => {
    const world = createWorld()
    await world.startOne({ exclusive: true })
    const id = await world.create()
    const { confirm_after: _, recover_after: __, ...check } = websiteMeta
    const update = { kind: 'update-website' as const, id: 'once', name: 'First', check: { ...check, failure_mode: null } }
    const first = await world.command(id, update as never)
    await world.command(id, { ...update, id: 'later', name: 'Second' } as never)
    const again = await world.command(id, update as never)
    t.strictSame(again, first)
    t.equal((await world.subject(id))?.name, 'Second', 'and does nothing')
    t.equal((await world.subject(id))?.check?.failure_mode, 'majority', 'a failure mode that is not sent is kept')
  })

  t.test('second create of a subject id is refused and stores nothing', async t => {
    const world = createWorld()
    await world.startOne({ exclusive: true })
    const id = await world.create()
    const before = await world.subject(id)
    await t.rejects(world.create({ url: 'https://other.example/' }, id), /Subject exists/)
    t.strictSame(await world.subject(id), before)
  })

  t.test('report is dropped when its assignment is old or the subject is not checked from its location', async t => {
    const world = createWorld()
    await world.startOne({ exclusive: true })
    const id = await world.create()
    await world.report(id, false, {}, 'zzzz')
    const { confirm_after: _, recover_after: __, ...check } = websiteMeta
    const body = {
      kind: 'update-website' as const,
      name: 'Moved',
      check: { ...check, url: 'https://new.example/', failure_mode: null },
    }
    await world.command(id, body as never)
    await world.report(id, false, { rev: 1 })
    t.equal((await world.incidents(id)).length, 0)
    t.equal(await world.store.count('observations', {}), 0)
  })
})

t.test('malformed reports are dropped, counted by location, and logged once a minute with the first reason', async t => {
  const world = createWorld()
  const lines: Record<string, unknown>[] = []
  const logger = pino({ level: 'warn' }, { write: (line: string) => void lines.push(JSON.parse(line)) })
  const { metrics, service } = await world.startOne({ exclusive: true }, undefined, logger)
  const id = await world.create()
  const publish = (location: string, body: unknown) => world.client.observations.publish(subjects.observation(location, id), body)
  for (let n = 0; n < 5_000; n++) await publish('aaaa', n === 0 ? { slotAt: 'soon' } : 'junk')
  await publish('bbbb', null)
  await world.clock.advance(1_000)
  const said = () => lines.filter(({ msg }) => msg === 'invalid reports dropped')
  t.match(said(), [
    { location: 'aaaa', count: 1, reason: /rev|slotAt|required/ },
    { location: 'bbbb', count: 1, reason: /the result must be object/ },
  ])
  await world.clock.advance(minute)
  t.match(said().slice(2), [{ location: 'aaaa', count: 4_999, reason: /the result must be object/ }])
  await world.report(id, true)
  t.equal(await world.store.count('observations', {}), 1, 'what comes behind them is judged')
  await service.stop()
  t.equal(said().length, 3)
  const counted = await metrics.metrics()
  t.match(counted, /watchkeeper_keeper_junk_reports_total\{location="aaaa"\} 5000/)
  t.match(counted, /watchkeeper_keeper_junk_reports_total\{location="bbbb"\} 1/)
})

t.test('result is dropped when its slot is in the future', async t => {
  const world = createWorld()
  await world.startOne({ exclusive: true })
  const id = await world.create()
  await world.report(id, true, { slotAt: world.clock.now() + 2 * minute })
  await world.report(id, false)
  t.equal((await world.incidents(id))[0]?.status, 'pending')
  t.equal(await world.store.count('observations', {}), 1)
})

t.test('report is dropped when it has a number that the embedded store cannot read back', async t => {
  const world = createWorld()
  await world.startOne()
  const id = await world.create()
  await world.report(id, true, { slotAt: 1_000 })
  const phases = { dnsMs: 0, connectMs: 1, tlsMs: null, firstByteMs: 2, totalMs: 3 }
  const beyond = 2 ** 60
  for (const field of ['dnsMs', 'connectMs', 'tlsMs', 'firstByteMs', 'totalMs'])
    await world.report(id, false, { slotAt: 2_000, phases: { ...phases, [field]: beyond } })
  for (const statusCode of [1_000, beyond]) await world.report(id, false, { slotAt: 2_000, statusCode })
  t.equal((await world.subject(id))?.readings['aaaa']?.slotAt, 1_000)
  t.equal(await world.store.count('observations', {}), 1)
  const largest = Number.MAX_SAFE_INTEGER
  await world.report(id, false, { slotAt: 3_000, statusCode: 999, phases: { ...phases, totalMs: largest } })
  t.match(await world.store.get('observations', [checkObservationId(id, 'aaaa', 3_000)]), [{ statusCode: 999, totalMs: largest }])
})

t.test('commit', async t => {
  t.test('subject is read and stepped again when another keeper wrote it first', async t => {
    const world = createWorld()
    await world.startOne({ exclusive: true })
    const id = await world.create()
    const stored = await world.subject(id)
    if (stored === null) throw new Error('no subject')
    await world.store.replace('subjects', [{ ...stored, rev: stored.rev + 1, writer: 'somebody else', name: 'Renamed' }])
    await world.report(id, false)
    const after = await world.subject(id)
    t.equal(after?.name, 'Renamed', 'what the other wrote stays')
    t.equal(after?.rev, stored.rev + 2)
    t.equal((await world.incidents(id))[0]?.status, 'pending')
  })

  t.test('outbox of a dead keeper is written by its successor, although no subject has to be committed', async t => {
    const world = createWorld()
    await world.startOne({ exclusive: true })
    const id = await world.create()
    await world.command(id, { kind: 'start-maintenance', endsAt: world.clock.now() + 60 * minute, by: 'someone' } as never)
    await world.clock.advance(2 * limits.keeper.outboxMs)
    const stored = await world.subject(id)
    if (stored === null) throw new Error('no subject')
    t.strictSame(stored.outbox, [], 'this keeper has nothing of its own to clear any more')
    const outbox = [{ mode: 'insert' as const, collection: 'alerts' as const, document: alert(`${id}.1.a1`, { subjectId: id }) }]
    const elsewhere = {
      ...stored,
      rev: stored.rev + 1,
      writer: 'somebody else',
      maintenance: null,
      outbox,
      hasOutbox: 1 as const,
    }
    await world.store.replace('subjects', [elsewhere])
    t.match(await world.command(id, { kind: 'cancel-maintenance' } as never), { ok: false, error: { code: 'not_found' } })
    await world.clock.advance(3 * limits.keeper.outboxMs)
    const told = (await world.alerts(id)).map(one => one.id)
    t.strictSame(told, [`${id}.1.a1`])
    t.strictSame((await world.subject(id))?.outbox, [], 'and cleared')
  })

  t.test('readings that are only in memory survive a refused write', async t => {
    const world = createWorld()
    await world.startOne({ exclusive: true })
    const id = await world.create({ locations: ['aaaa', 'bbbb'] })
    await world.report(id, true)
    await world.report(id, true, {}, 'bbbb')
    await world.clock.advance(11 * second)
    const stored = await world.subject(id)
    if (stored === null) throw new Error('no subject')
    await world.clock.advance(minute)
    const slotAt = world.clock.now()
    await world.report(id, true, { slotAt })
    await world.store.replace('subjects', [{ ...stored, rev: stored.rev + 1, writer: 'somebody else' }])
    await world.report(id, false, { slotAt }, 'bbbb')
    t.equal((await world.subject(id))?.rev, stored.rev + 2, 'the failure was refused once')
    t.equal((await world.subject(id))?.readings['aaaa']?.slotAt, slotAt)
  })

  t.test(
    'partition that closes while its checkpoint is prepared writes no checkpoint, because fresh readings have left the memory',
    async t => {
      const gate = { held: false, release: (): void => undefined }
      const world = createWorld(store => ({
        ...store,
        find: async (collection, query) => {
          const isOfCheckpoint =
            collection === 'subjects' && query.select?.includes('rev') && query.where?.['dueAt'] === undefined
          if (gate.held && isOfCheckpoint) await new Promise<void>(resolve => Object.assign(gate, { release: resolve }))
          return store.find(collection, query)
        },
      }))
      await world.startOne()
      const id = await world.create()
      await world.report(id, true)
      await world.clock.advance(minute)
      const slotAt = world.clock.now()
      await world.report(id, true, { slotAt })
      gate.held = true
      await world.clock.advance(11 * second)
      world.hub.recreateStream()
      await world.clock.advance(1)
      gate.held = false
      gate.release()
      await world.clock.advance(second)
      const [checkpoint] = await world.store.get('checkpoints', [keys.lease(partitionOf(id))])
      const isPassed = (checkpoint?.messageAt ?? 0) >= slotAt
      t.ok(!isPassed || (await world.keptSlot(id)) === slotAt, 'a checkpoint behind the report, or one that knows its freshness')
    },
  )

  t.test('keeper notices a write of another keeper at the checkpoint, even if no report requires a write', async t => {
    const world = createWorld()
    await world.startOne()
    const id = await world.create()
    await world.report(id, true)
    await world.clock.advance(11 * second)
    const stored = await world.subject(id)
    if (stored?.check == null) throw new Error('no subject')
    const elsewhere = { ...stored.check, locations: ['bbbb'] }
    const readings = { bbbb: { ...(stored.readings['aaaa'] as never as object), slotAt: null, at: null } }
    await world.store.replace('subjects', [
      { ...stored, rev: stored.rev + 1, writer: 'somebody else', check: elsewhere, readings } as never,
    ])
    await world.clock.advance(minute)
    await world.report(id, true, { slotAt: world.clock.now() })
    await world.clock.advance(11 * second)
    const before = await world.store.count('observations', {})
    await world.report(id, true, { slotAt: world.clock.now() })
    t.equal(await world.store.count('observations', {}), before, 'a location that it no longer has is not heard any more')
  })

  t.test('write is retried and nothing is acknowledged while the store does not respond', async t => {
    let down = false
    const world = createWorld(store => failing(store, () => down))
    await world.startOne({ exclusive: true })
    const id = await world.create()
    down = true
    const asked = world.client.request(subjects.command(id), { kind: 'delete-subject', id: 'd1' }, { timeoutMs: 60_000 })
    await world.clock.advance(5 * second)
    let answered = false
    void asked.then(() => {
      answered = true
    })
    await world.clock.settle()
    t.equal(answered, false)
    down = false
    await world.clock.advance(3 * second)
    t.match(await asked, { ok: true })
    t.not((await world.subject(id))?.deletedAt, null)
  })
})

t.test('inputs are judged in the order of their time', async t => {
  t.test('deadline is stepped before an input when the deadline is earlier', async t => {
    const world = createWorld()
    await world.startOne({ exclusive: true })
    const id = await world.create()
    await world.report(id, false)
    const openedAt = (await world.incidents(id))[0]?.troubleSince ?? 0
    await world.clock.advance(10)
    world.hub.cut(world.client)
    world.hub.restore(world.client)
    await world.clock.advance(2 * minute)
    await world.report(id, true)
    const [incident] = await world.incidents(id)
    t.equal(incident?.confirmedAt, openedAt + 2 * minute)
    t.equal(incident?.status, 'recovering')
  })

  t.test('silences a few milliseconds apart share rounds and count from their own instants', async t => {
    const world = createWorld()
    const { service, metrics } = await world.startOne()
    const rounds = async () => (await metrics.getSingleMetric('watchkeeper_keeper_rounds_total')?.get())?.values[0]?.value ?? 0
    const ids: string[] = []
    for (let made = 0; made < 12; made++) ids.push(await world.create())
    const reportedAt = new Map<string, number>()
    for (const id of ids) {
      reportedAt.set(id, world.clock.now())
      await world.report(id, true, {}, 'aaaa', 3)
    }
    const instants = [...reportedAt.values()]
    const first = Math.min(...instants)
    const spread = Math.max(...instants) - first
    const silentAfter = limits.judging.silentIntervals * minute
    await world.clock.advance(silentAfter - (world.clock.now() - first) - 1)
    const before = await rounds()
    await world.clock.advance(spread + limits.keeper.silenceGridMs + 2)
    const shared = (await rounds()) - before
    t.ok(spread >= 30 && shared <= Math.ceil(spread / limits.keeper.silenceGridMs) + 2, `${shared} rounds over ${spread} ms`)
    for (const [id, at] of reportedAt) {
      const verdict = (await world.subject(id))?.rules[0]?.verdict
      t.match(verdict, { verdict: 'no_data', since: at + silentAfter + 1 })
    }
    await service.stop()
  })

  t.test('result counts at its time in the stream, minus its stated age', async t => {
    const world = createWorld()
    await world.startOne({ exclusive: true })
    const id = await world.create()
    await world.clock.advance(30 * second)
    await world.report(id, false, { ageMs: 20 * second })
    t.equal((await world.incidents(id))[0]?.troubleSince, world.clock.now() - 1 - 20 * second)
  })

  t.test('reminder is skipped when it is overdue by a minute, and a confirmation is never skipped', async t => {
    const world = createWorld()
    const keeper = await world.startOne()
    const id = await world.create({ interval_value: 24, interval_unit: 'HOUR' })
    await world.report(id, false)
    await Promise.all([keeper.service.stop(), world.clock.advance(100)])
    await world.clock.advance(5 * 60 * minute)
    const back = await world.startOne()
    await world.clock.advance(second)
    t.strictSame(
      (await world.alerts(id)).map(alert => [alert.kind, alert.reminder]),
      [['problem', false]],
    )
    const [incident] = await world.incidents(id)
    t.equal(incident?.confirmedAt, (incident?.troubleSince ?? 0) + 2 * minute, 'backdated to the end of its hold')
    await Promise.all([back.service.stop(), world.clock.advance(100)])
    await world.clock.advance(3 * 60 * minute)
    await world.startOne()
    await world.clock.advance(3 * minute)
    t.strictSame(
      (await world.alerts(id)).map(alert => alert.reminder),
      [false, true],
      'the next on the grid is told',
    )
  })

  t.test('reminder is sent when it is a few seconds late, even if the previous reminder was missed', async t => {
    const world = createWorld()
    const keeper = await world.startOne()
    const id = await world.create({ interval_value: 24, interval_unit: 'HOUR' })
    await world.report(id, false)
    await world.clock.advance(2 * minute)
    const confirmedAt = (await world.incidents(id))[0]?.confirmedAt ?? 0
    await Promise.all([keeper.service.stop(), world.clock.advance(100)])
    await world.clock.advance(confirmedAt + 8 * 60 * minute + 10 * second - world.clock.now())
    await world.startOne()
    await world.clock.advance(second)
    t.strictSame(
      (await world.alerts(id)).map(alert => alert.reminder),
      [false, true],
    )
    const missed = (await world.history(id)).filter(({ kind }) => kind.startsWith('reminder')).map(({ kind }) => kind)
    t.strictSame(missed.sort(), ['reminder', 'reminder missed'])
  })

  t.test('silence is held back for 15 s after a take-over, and buffered reports count at their own instants', async t => {
    const world = createWorld()
    const keeper = await world.startOne()
    const id = await world.create()
    await world.report(id, true)
    await world.clock.advance(2 * minute + 50 * second)
    await Promise.all([keeper.service.stop(), world.clock.advance(100)])
    await world.clock.advance(10 * second)
    await world.startOne()
    await world.clock.advance(14 * second)
    t.equal((await world.incidents(id)).length, 0, 'not yet')
    await world.report(id, true, { slotAt: world.clock.now() - minute, ageMs: minute })
    await world.clock.advance(20 * second)
    t.equal((await world.incidents(id)).length, 0, 'the late report arrived in time')
    await world.clock.advance(3 * minute)
    t.equal((await world.incidents(id))[0]?.status, 'pending', 'and real silence is seen')
  })
})

t.test('report is removed from the stream when every partition has judged the stream up to this report', async t => {
  const world = createWorld()
  await world.startOne({ exclusive: true })
  const id = await world.create()
  for (let i = 0; i < 3; i++) {
    await world.report(id, true)
    await world.clock.advance(minute)
  }
  await world.clock.advance(minute + 10 * second)
  const { firstSequence, lastSequence } = await world.client.observations.state()
  t.strictSame([firstSequence, lastSequence], [4, 3], 'partitions without reports hold back nobody')
  await world.report(id, true)
  t.equal(await world.store.count('observations', {}), 4, 'and all stays in the store')
})

t.test('confirmation delay ends at its instant while another silence is held back', async t => {
  const world = createWorld()
  const keeper = await world.startOne()
  const id = await world.create({ locations: ['aaaa', 'bbbb'], failure_mode: 'at_least_one' })
  await world.report(id, true)
  await world.report(id, true, {}, 'bbbb')
  await world.clock.advance(2 * minute)
  await world.report(id, false)
  t.equal((await world.incidents(id))[0]?.status, 'pending')
  await Promise.all([keeper.service.stop(), world.clock.advance(100)])
  await world.clock.advance(2 * minute - 5 * second)
  await world.startOne()
  await world.clock.advance(6 * second)
  t.equal((await world.incidents(id))[0]?.status, 'problem', 'though the other location is overdue and held')
})

t.test('new reports with reused sequences are read when the stream lost its end and has grown again', async t => {
  const world = createWorld()
  const keeper = await world.startOne()
  const id = await world.create()
  for (let i = 0; i < 3; i++) {
    await world.report(id, true)
    await world.clock.advance(second)
  }
  await Promise.all([keeper.service.stop(), world.clock.advance(100)])
  world.hub.truncateStream(1)
  await world.clock.advance(minute)
  for (let i = 0; i < 3; i++) {
    await world.report(id, false, { slotAt: world.clock.now() })
    await world.clock.advance(second)
  }
  await world.startOne()
  await world.clock.advance(second)
  t.equal((await world.incidents(id))[0]?.status, 'pending')
  t.equal(await world.store.count('observations', {}), 6)
})

t.test('incident of a silence recovers when a late ok report arrives that is dated within the silence', async t => {
  const world = createWorld()
  await world.startOne({ exclusive: true })
  const id = await world.create()
  await world.report(id, true)
  await world.clock.advance(3 * minute + 30 * second)
  t.equal((await world.incidents(id))[0]?.condition, 'no_data')
  await world.report(id, true, { slotAt: world.clock.now() - minute, ageMs: minute })
  t.equal((await world.incidents(id))[0]?.status, 'recovering')
})

t.test('partition is live at once when the stream is shorter than the checkpoint and has no recent report', async t => {
  const world = createWorld()
  const keeper = await world.startOne()
  // This partition writes its checkpoint last: the checkpoint of any other partition would have moved earlier.
  const id = await world.create({}, idOfPartition(limits.partitions - 1))
  await world.report(id, true)
  await world.clock.advance(10 * minute)
  await world.report(id, true, { slotAt: world.clock.now() })
  await world.clock.advance(11 * second)
  await Promise.all([keeper.service.stop(), world.clock.advance(100)])
  world.hub.truncateStream(1)
  const next = await world.startOne()
  await world.clock.advance(second)
  t.strictSame(next.service.unready(), [])
  const [checkpoint] = await world.store.get('checkpoints', [keys.lease(partitionOf(id))])
  t.equal(checkpoint?.gaps ?? 0, 0, 'counted when the checkpoint next moves')
})

t.test('subject is removed from a full memory after its freshness is written', async t => {
  const world = createWorld()
  await world.startOne({ exclusive: true, cachedSubjects: 4 })
  const ids = await Promise.all(Array.from({ length: 12 }, () => world.create()))
  const slots = new Map<string, number>()
  for (const id of ids) await world.report(id, true)
  await world.clock.advance(minute)
  for (const id of ids) {
    slots.set(id, world.clock.now())
    await world.report(id, true, { slotAt: world.clock.now() })
  }
  await world.clock.advance(11 * second)
  for (const id of ids)
    t.equal(await world.keptSlot(id), slots.get(id), 'in its document, or in the checkpoint where it is in memory')
  const written = await Promise.all(ids.map(async id => (await world.subject(id))?.readings['aaaa']?.slotAt === slots.get(id)))
  t.ok(written.filter(Boolean).length >= 8, 'what left the memory is in its document')
})

t.test('failures of store and input', async t => {
  t.test('input that cannot be judged becomes a dead letter, its subject is marked, and the next input is judged', async t => {
    const world = createWorld()
    await world.startOne({ exclusive: true })
    const id = await world.create()
    const stored = await world.subject(id)
    if (stored === null || stored.check === null) throw new Error('no subject')
    const poisoned = { ...stored, rev: stored.rev + 1, writer: 'x', check: { ...stored.check, locations: null as never } }
    await world.store.replace('subjects', [poisoned])
    const other = await world.create()
    await Promise.all([world.report(id, false), world.report(other, false)])
    t.equal((await world.incidents(other)).length, 1, 'others are judged')
    const aside = await world.store.find('deadLetters', { where: { subjectId: id }, limit: 10 })
    t.ok(aside.length >= 1)
    t.ok((aside[0]?.reason.length ?? 0) > 0)
    t.equal((await world.subject(id))?.faulty?.count, 1)
  })

  t.test('deletion of a subject succeeds even if the tags of the subject cannot be built', async t => {
    const world = createWorld()
    await world.startOne({ exclusive: true })
    const id = await world.create()
    const stored = await world.subject(id)
    if (stored === null) throw new Error('no subject')
    await world.store.replace('subjects', [{ ...stored, rev: stored.rev + 1, writer: 'x', labels: null as never }])
    t.match(await world.command(id, { kind: 'delete-subject' }), { ok: true })
    t.not((await world.subject(id))?.deletedAt, null)
  })

  t.test(
    "subject that the store never accepts becomes a dead letter; its observations and the round's other subjects are stored",
    async t => {
      let refused = ''
      const takes = (collection: string, documents: readonly { id: string }[]) => {
        if (collection === 'subjects' && documents.some(({ id }) => id === refused))
          throw new StoreError('permanent', 'too large')
      }
      const world = createWorld(store => ({
        ...store,
        putInOrder: async puts => {
          for (const { collection, documents } of puts) takes(collection, documents)
          return await store.putInOrder(puts)
        },
        replace: async (collection, documents) => {
          takes(collection, documents)
          return await store.replace(collection, documents)
        },
      }))
      await world.startOne({ exclusive: true })
      const [id, other] = [await world.create(), await world.create()]
      refused = id
      await Promise.all([world.report(id, false), world.report(other, false)])
      t.equal((await world.incidents(other)).length, 1, 'others are judged')
      t.equal(await world.store.count('observations', {}), 2, 'what was observed is stored all the same')
      t.equal((await world.incidents(id)).length, 0)
      const aside = () => world.store.find('deadLetters', { where: { subjectId: id }, limit: 10 })
      t.match(await aside(), [{ reason: 'too large', input: /"kind":"result"/ }])
      t.match(await world.command(id, { kind: 'delete-subject' }), { ok: false, error: { code: 'internal' } })
      t.equal((await aside()).length, 2)
      refused = ''
      await world.clock.advance(minute)
      await world.report(id, false, { slotAt: world.clock.now() })
      t.match(await world.incidents(id), [{ status: 'pending' }], 'taken again, it goes on from what is stored')
    },
  )

  t.test('partition responds `busy` above 1,000 waiting commands', async t => {
    let down = false
    const world = createWorld(store => failing(store, () => down))
    await world.startOne({ exclusive: true })
    const id = await world.create()
    down = true
    const asked = Array.from({ length: limits.keeper.commandBacklog + limits.keeper.inputsPerRound + 2 }, (_, i) =>
      world.client.request(subjects.command(id), { kind: 'delete-subject', id: `c${i}` }, { timeoutMs: 60_000 }),
    )
    const first = await Promise.race([Promise.any(asked), world.clock.advance(second).then(() => null)])
    t.match(first, { ok: false, error: { code: 'busy' } })
    down = false
    await world.clock.advance(5 * second)
    await Promise.allSettled(asked)
  })

  t.test('deletion commits a tombstone for four days and removes children in slices', async t => {
    const world = createWorld()
    const keeper = await world.startOne({ confirmAfterMs: 0 })
    const id = await world.create()
    await world.report(id, false)
    t.match(await world.command(id, { kind: 'delete-subject' }), { ok: true, result: { id } })
    t.not((await world.subject(id))?.deletedAt, null)
    t.equal((await allEntries(world.client)).size, 0, 'nobody checks it any more')
    t.match(await world.command(id, { kind: 'delete-subject' }), { ok: false, error: { code: 'not_found' } })
    await world.report(id, false)
    await world.clock.advance(5 * second)
    for (const collection of ['observations', 'incidents', 'history'] as const) {
      t.equal(await world.store.count(collection, {}), 0, `${collection} are gone`)
    }
    const left = await world.store.find('alerts', { limit: 10 })
    t.match(left, [{ kind: 'withdrawn', held: null }], 'what is open elsewhere still ends (v3 10.16)')
    t.equal((await world.subject(id))?.hasOutbox, 0)
    await Promise.all([keeper.service.stop(), world.clock.advance(100)])
    await world.clock.advance(4 * 24 * 60 * minute - minute)
    await world.startOne()
    await world.clock.advance(10 * second)
    t.not(await world.subject(id), null, 'just before')
    await world.clock.advance(2 * minute)
    t.equal(await world.subject(id), null, 'after four days')
  })

  t.test('tombstone is kept for four days from the deletion, even if the clock was ahead at the last judgement', async t => {
    const world = createWorld()
    const day = 24 * 60 * minute
    await world.startOne({ exclusive: true })
    const id = await world.create()
    world.clock.stepWall(30 * day)
    await world.report(id, true)
    t.match(await world.command(id, { kind: 'update-website', name: 'Shop', check: websiteMeta } as never), { ok: true })
    world.clock.stepWall(-30 * day)
    const deletedAt = world.clock.now()
    t.match(await world.command(id, { kind: 'delete-subject' }), { ok: true })
    const dueAt = (await world.subject(id))?.dueAt ?? 0
    t.ok(dueAt >= deletedAt + 4 * day && dueAt < deletedAt + 4 * day + minute, `${(dueAt - deletedAt) / day} days`)
  })

  t.test('rows with future instants and dead letters are removed with their subject', async t => {
    const world = createWorld()
    const day = 24 * 60 * minute
    await world.clock.advance(day - (world.clock.now() % day) - 30 * second)
    await world.startOne({ exclusive: true })
    const id = await world.create()
    await world.report(id, true, { slotAt: world.clock.now() + 40 * second })
    const aside = { rev: 1, partition: partitionOf(id), at: 1, reason: 'x', input: '{}', expireAt: world.clock.now() + day }
    await world.store.insert('deadLetters', [{ id: `${id}.1.x`, subjectId: id, ...aside }])
    t.equal(await world.store.count('observations', {}), 1)
    t.match(await world.command(id, { kind: 'delete-subject' }), { ok: true })
    await world.clock.advance(5 * second)
    for (const collection of ['observations', 'deadLetters'] as const)
      t.equal(await world.store.count(collection, {}), 0, collection)
  })
})

t.test('check entries', async t => {
  t.test('check entry changes only when a prober needs the change', async t => {
    const world = createWorld()
    await world.startOne({ exclusive: true })
    const id = await world.create({ locations: ['aaaa', 'bbbb'] })
    const { confirm_after: _, recover_after: __, ...check } = websiteMeta
    const entry = async (location: string) => (await entryAt(world.client, location, id)) as WebsiteEntry | null
    t.match(await entry('bbbb'), { rev: 1, url: 'https://example.org/', intervalMs: minute })
    const locations = ['aaaa', 'bbbb']
    await world.command(id, {
      kind: 'update-website',
      name: 'New name',
      check: { ...check, locations, failure_mode: null },
    } as never)
    t.equal((await entry('aaaa'))?.rev, 1, 'a rename does not reach probers')
    await world.command(id, {
      kind: 'update-website',
      name: 'N',
      check: { ...check, locations: ['aaaa'], url: 'https://b.example/', failure_mode: null },
    } as never)
    t.match(await entry('aaaa'), { rev: 3, url: 'https://b.example/' })
    t.equal((await entry('bbbb')) ?? null, null)
  })

  t.test('check entry of each location has the second update when a round has two updates', async t => {
    const world = createWorld()
    await world.startOne()
    const id = await world.create({ locations: ['aaaa', 'bbbb'] })
    const { confirm_after: _, recover_after: __, ...check } = websiteMeta
    const update = (url: string, locations: string[]) =>
      world.command(id, { kind: 'update-website', name: 'N', check: { ...check, url, locations, failure_mode: null } } as never)
    await Promise.all([update('https://first.example/', ['aaaa', 'cccc']), update('https://last.example/', ['aaaa', 'bbbb'])])
    const urls = ['aaaa', 'bbbb', 'cccc'].map(async location => {
      const entry = (await entryAt(world.client, location, id)) as WebsiteEntry | null
      return entry?.url ?? null
    })
    t.strictSame(await Promise.all(urls), ['https://last.example/', 'https://last.example/', null])
  })

  t.test('take-over writes missing check entries and removes entries without a monitor', async t => {
    const world = createWorld()
    const keeper = await world.startOne()
    const id = await world.create()
    await Promise.all([keeper.service.stop(), world.clock.advance(100)])
    await putPaged(world.client, 'aaaa', id, null)
    await putPaged(world.client, 'stray', id, { rev: 1 })
    await world.startOne()
    await world.clock.advance(second)
    t.match(await entryAt(world.client, 'aaaa', id), { rev: 1 })
    t.equal(await entryAt(world.client, 'stray', id), null)
    t.equal(await world.client.bucket('check-pages').get(keys.checkPageOf('stray', id)), null, 'an empty page is removed')
  })

  t.test('take-over rewrites entries of another schema in its own form, and leaves newer settings', async t => {
    const world = createWorld()
    const keeper = await world.startOne()
    const [rewritten, newer] = [await world.create(), await world.create()]
    await Promise.all([keeper.service.stop(), world.clock.advance(100)])
    const entryOf = (id: string) => entryAt(world.client, 'aaaa', id)
    const before = await entryOf(rewritten)
    await putPaged(world.client, 'aaaa', rewritten, { ...(before as object), schema: 2, request: {} })
    await putPaged(world.client, 'aaaa', newer, { rev: 9, schema: 2 })
    await world.startOne()
    await world.clock.advance(second)
    t.strictSame(await entryOf(rewritten), before)
    t.strictSame(await entryOf(newer), { rev: 9, schema: 2 })
  })
})

/** Store that records the name of every call in `order` when the call ends. */
function noting(store: Store, order: string[]): Store {
  return new Proxy(store, {
    get: (target, name: keyof Store) => {
      const method = target[name] as unknown
      if (typeof method !== 'function') return method
      return async (...args: unknown[]) => {
        const result = await (method as (...given: unknown[]) => Promise<unknown>).apply(target, args)
        if (name !== 'putInOrder') order.push(`${name} ${String(args[0])}`)
        else
          for (const { mode, collection, documents } of args[0] as Put[])
            if (documents.length > 0) order.push(`${mode} ${collection}`)
        return result
      }
    },
  })
}

/** Store that is unreachable while `isDown`: every call fails. */
function failing(store: Store, isDown: () => boolean): Store {
  return new Proxy(store, {
    get: (target, name: keyof Store) => {
      const method = target[name] as unknown
      if (typeof method !== 'function') return method
      return async (...args: unknown[]) => {
        if (isDown()) throw new StoreError('unavailable', 'The store is away.')
        return (method as (...given: unknown[]) => Promise<unknown>).apply(target, args)
      }
    },
  })
}

function idOfPartition(partition: number): string {
  for (;;) {
    const id = randomId(10)
    if (partitionOf(id) === partition) return id
  }
}

t.test('address in a failed check is redacted in the log, in evidence and in messages (v3 11.2)', async t => {
  const world = createWorld()
  await world.startOne({ exclusive: true })
  const id = await world.create({ confirm_after: 0 })
  await world.report(id, false, { error: 'https://me:hidden@shop.example/?token=hidden moved' })
  const shown = 'https://shop.example/?token=redacted moved'
  const subject = await world.subject(id)
  const kept = [...(await world.incidents(id)), ...(await world.alerts(id)), ...(await world.history(id)), subject]
  t.equal(kept.length, 5)
  t.match(await world.store.find('observations', { limit: 9 }), [{ error: shown }])
  t.match(subject?.rules[0]?.verdict?.evidence.inputs, [{ reason: shown }])
  for (const document of kept) t.notMatch(JSON.stringify(document), /hidden/)
  await world.clock.advance(minute)
  await world.report(id, false, { error: `https://shop.example/?${'key=1&'.repeat(45)}` })
  const [, cut] = await world.store.find('observations', { limit: 9 })
  t.equal(cut?.error?.length, limits.check.errorCharacters, 'what grows beyond its bound is cut')
})
