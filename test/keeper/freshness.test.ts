// What is laid over a document that is read again, as a take-over finds it: newer readings of checks and of senders.
import t from 'tap'
import type { Freshness, FreshReading } from '#shared/contracts/freshness.ts'
import type { SubjectDocument } from '#shared/contracts/subject.ts'
import { freshnessOf, layOver, layOverSeries } from '../../services/keeper/freshness.ts'
import { nothingHeld } from '../../services/keeper/step/types.ts'
import { noReports } from '../../services/keeper/stored-reports.ts'
import { noTemplates } from './no-templates.ts'
import { createWorld, minute } from './world.ts'

/** A monitor that reported ok once, and what its keeper decides with a minute later. */
async function reported() {
  const world = createWorld()
  await world.startOne({ exclusive: true })
  const id = await world.create()
  await world.report(id, true)
  await world.clock.advance(minute)
  const subject = (await world.subject(id)) as SubjectDocument
  const now = world.clock.now()
  return {
    subject,
    now,
    surrounding: { now, held: nothingHeld, confirmAfterMs: 0, closeAfterMs: 0, templateOf: noTemplates, stored: noReports },
  }
}

/** Fresh readings beside a document of revision `rev`. */
const fresh = ({ id, judgedAt, dueAt }: SubjectDocument, rev: number, ...readings: FreshReading[]): Freshness =>
  [id, rev, judgedAt, dueAt, readings] as const
const failing = (at: number): FreshReading => ['aaaa', at, at, 0, 503, 1, 'status 503, expected 200']
const passed = (at: number): FreshReading => ['aaaa', at, at, 1, 200, 1, null]

t.test('newer readings of the very document are taken as they are; of another one it is judged again', async t => {
  const { subject, now, surrounding } = await reported()
  const cases: [title: string, rev: number, reading: FreshReading, change: string, slotAt: number][] = [
    ['newer', subject.rev, passed(now), 'freshness', now],
    ['newer, of another revision', subject.rev - 1, passed(now), 'freshness', now],
    ['newer and failing, of another revision', subject.rev - 1, failing(now), 'commit', now],
    ['older, of another revision', subject.rev - 1, failing(1), 'nothing', subject.readings['aaaa']?.slotAt ?? 0],
  ]
  for (const [title, rev, reading, change, slotAt] of cases) {
    const laid = layOver(subject, fresh(subject, rev, reading), surrounding)
    t.equal(laid.change, change, title)
    t.equal(laid.subject.readings['aaaa']?.slotAt, slotAt, title)
  }
})

t.test('what a location reported before it was taken away and added again is no reading of it', async t => {
  const { subject, now, surrounding } = await reported()
  const reading = subject.readings['aaaa']
  t.ok(reading)
  const added = { ...reading, addedAt: now, slotAt: null, at: null } as NonNullable<typeof reading>
  const again = { ...subject, readings: { aaaa: added } }
  t.equal(layOver(again, fresh(subject, subject.rev - 1, passed(now - 1)), surrounding).change, 'nothing')
  t.equal(layOver(again, fresh(subject, subject.rev - 1, passed(now)), surrounding).subject.readings['aaaa']?.slotAt, now)
})

t.test('what senders reported takes back no commit that the checks ask for', async t => {
  const { subject, surrounding } = await reported()
  const custom = { signals: [], signalsMade: 0, rulesMade: 0, stampedUs: 0, observed: {} }
  const series = {
    id: 'x',
    rev: 1,
    writer: '',
    subjectId: subject.id,
    signalKey: 's1',
    labels: {},
    observedAtUs: 1,
    number: 3,
    status: 'ok',
    value: null,
    error: '',
    expireAt: 1,
    judgedAt: 1,
    subjectRev: 1,
  } as const
  for (const change of ['commit', 'freshness'] as const) {
    const laid = layOverSeries({ subject: { ...subject, custom }, change }, [series], surrounding)
    t.equal(laid.change, change)
    t.equal(laid.subject.custom?.accepted, 3, 'and numbers the next')
  }
})

t.test('a report from before the clock of the bus was set back takes the place of none after it', async t => {
  const { subject, now, surrounding } = await reported()
  const reading = subject.readings['aaaa']
  t.ok(reading?.at)
  const hour = 60 * minute
  const at = reading?.at ?? 0
  const later = { ...reading, at: at + 1, slotAt: at - hour } as NonNullable<typeof reading>
  const document = { ...subject, readings: { aaaa: later } }
  const before = fresh(subject, subject.rev - 1, failing(at))
  t.equal(layOver(document, before, surrounding).change, 'nothing')
  const after: FreshReading = ['aaaa', now - hour, now, 0, 503, 1, 'status 503, expected 200']
  t.equal(layOver(document, fresh(subject, subject.rev - 1, after), surrounding).change, 'commit')
})

t.test('a pushed reading is still one after its freshness was kept and merged', async t => {
  const { subject, now, surrounding } = await reported()
  const reading = subject.readings['aaaa']
  t.ok(reading)
  const pushed = { ...(reading as NonNullable<typeof reading>), slotAt: now, at: now, isPushed: true as const }
  const kept = freshnessOf({ ...subject, readings: { aaaa: pushed } })
  t.strictSame(layOver(subject, kept, surrounding).subject.readings['aaaa'], pushed)
})
