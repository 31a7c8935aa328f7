// Merge of newer readings (of checks and senders) into a document that is loaded again, for example at a take-over.
import t from 'tap'
import type { Freshness, FreshReading } from '#shared/contracts/observations/freshness.ts'
import type { SubjectDocument } from '#shared/contracts/subjects/subject.ts'
import { noReports } from '../../../services/keeper/loading/stored-reports.ts'
import { freshnessOf, mergeNewer, mergeNewerSeries } from '../../../services/keeper/partition/freshness.ts'
import { nothingHeld } from '../../../services/keeper/step/types.ts'
import { noTemplates } from '../resources/no-templates.ts'
import { createWorld, minute } from '../world.ts'

/** Monitor that reported ok once, and the context of its keeper a minute later. */
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
    context: { now, held: nothingHeld, confirmAfterMs: 0, closeAfterMs: 0, templateOf: noTemplates, stored: noReports },
  }
}

/** Newer readings of a subject, noted when its document had revision `rev`. */
const fresh = ({ id, judgedAt, dueAt }: SubjectDocument, rev: number, ...readings: FreshReading[]): Freshness =>
  [id, rev, judgedAt, dueAt, readings] as const
const failing = (at: number): FreshReading => ['aaaa', at, at, 0, 503, 1, 'status 503, expected 200']
const passed = (at: number): FreshReading => ['aaaa', at, at, 1, 200, 1, null]

t.test('merge takes newer readings of the same revision, and judges another revision again', async t => {
  const { subject, now, context } = await reported()
  const cases: [title: string, rev: number, reading: FreshReading, change: string, slotAt: number][] = [
    ['newer', subject.rev, passed(now), 'freshness', now],
    ['newer, of another revision', subject.rev - 1, passed(now), 'freshness', now],
    ['newer and failing, of another revision', subject.rev - 1, failing(now), 'commit', now],
    ['older, of another revision', subject.rev - 1, failing(1), 'nothing', subject.readings['aaaa']?.slotAt ?? 0],
  ]
  for (const [title, rev, reading, change, slotAt] of cases) {
    const laid = mergeNewer(subject, fresh(subject, rev, reading), context)
    t.equal(laid.change, change, title)
    t.equal(laid.subject.readings['aaaa']?.slotAt, slotAt, title)
  }
})

t.test('merge drops a report from before its location was added again', async t => {
  const { subject, now, context } = await reported()
  const reading = subject.readings['aaaa']
  t.ok(reading)
  const added = { ...reading, addedAt: now, slotAt: null, at: null } as NonNullable<typeof reading>
  const again = { ...subject, readings: { aaaa: added } }
  t.equal(mergeNewer(again, fresh(subject, subject.rev - 1, passed(now - 1)), context).change, 'nothing')
  t.equal(mergeNewer(again, fresh(subject, subject.rev - 1, passed(now)), context).subject.readings['aaaa']?.slotAt, now)
})

t.test('merge of series keeps the commit or checkpoint that an earlier merge of checks requires', async t => {
  const { subject, context } = await reported()
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
    const laid = mergeNewerSeries({ subject: { ...subject, custom }, change }, [series], context)
    t.equal(laid.change, change)
    t.equal(laid.subject.custom?.accepted, 3, 'and numbers the next')
  }
})

t.test('report from before a set-back of the bus clock replaces no later report', async t => {
  const { subject, now, context } = await reported()
  const reading = subject.readings['aaaa']
  t.ok(reading?.at)
  const hour = 60 * minute
  const at = reading?.at ?? 0
  const later = { ...reading, at: at + 1, slotAt: at - hour } as NonNullable<typeof reading>
  const document = { ...subject, readings: { aaaa: later } }
  const before = fresh(subject, subject.rev - 1, failing(at))
  t.equal(mergeNewer(document, before, context).change, 'nothing')
  const after: FreshReading = ['aaaa', now - hour, now, 0, 503, 1, 'status 503, expected 200']
  t.equal(mergeNewer(document, fresh(subject, subject.rev - 1, after), context).change, 'commit')
})

t.test('reading from a pushed report stays marked as pushed after a checkpoint and a merge', async t => {
  const { subject, now, context } = await reported()
  const reading = subject.readings['aaaa']
  t.ok(reading)
  const pushed = { ...(reading as NonNullable<typeof reading>), slotAt: now, at: now, isPushed: true as const }
  const kept = freshnessOf({ ...subject, readings: { aaaa: pushed } })
  t.strictSame(mergeNewer(subject, kept, context).subject.readings['aaaa'], pushed)
})
