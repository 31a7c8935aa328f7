// Logic of the incident pages without a browser: records read page by page, moments, highlighted arrows of the drawing, sentences, lists,
// the inspector.
import t from 'tap'
import { incidentMachine } from '#machines/incident.ts'
import { maintenanceMachine } from '#machines/maintenance.ts'
import type { IncidentRecordObject, IncidentRecordsPage, OutlookStep } from '#shared/contracts/session/session-incidents.ts'
import { createPaged } from '../../../services/dashboard/data/paged.ts'
import { lifeOf } from '../../../services/dashboard/drawing/life.ts'
import { inspectorOrigin, type Opener, startInspection } from '../../../services/dashboard/incident/inspection.ts'
import { lifeAt, momentAt } from '../../../services/dashboard/incident/moment.ts'
import { byReportWords, byTimeWords, happenedNext } from '../../../services/dashboard/incident/next.ts'
import { readingsOf } from '../../../services/dashboard/incident/readings.ts'
import { createRecords } from '../../../services/dashboard/incident/records.ts'
import { byDay, byTrouble, type IncidentItem, stateOfItem } from '../../../services/dashboard/incidents/incident-item.ts'
import { eventWords } from '../../../services/dashboard/words/events.ts'

const instant = (s: number) => new Date(Date.UTC(2026, 0, 5, 12, 0, s)).toISOString()

const record = (
  sequence: number,
  state: IncidentRecordObject['state'],
  deadline_at: string | null = null,
): IncidentRecordObject => ({
  ...{
    sequence,
    at: instant(sequence),
    event: `event ${sequence}`,
    event_at: instant(sequence),
    kind: 'pending',
    state,
    deadline_at,
  },
  ...{ condition: 'problem', explanation: 'x', evidence: null },
})

const pageOf = (records: IncidentRecordObject[], more: boolean): IncidentRecordsPage => ({
  ...{
    at: instant(0),
    workspace_id: 'w',
    monitor_id: 'm',
    rule_name: 'Reachability',
    records,
    more,
    locations: {},
    outlook: null,
  },
})

t.test('first read gets all records, and later reads get only newer records', async t => {
  const stored = [1, 2, 3, 4, 5].map(n => record(n, 'pending'))
  const asked: number[] = []
  const records = createRecords(async after => {
    asked.push(after)
    const rest = stored.filter(({ sequence }) => sequence > after)
    return pageOf(rest.slice(0, 2), rest.length > 2)
  })
  await records.readOn()
  stored.push(record(6, 'problem'))
  await Promise.all([records.readOn(), records.readOn()])
  t.same(
    records.all.value.map(({ sequence }) => sequence),
    [1, 2, 3, 4, 5, 6],
  )
  t.same(asked, [0, 2, 4, 5, 6], 'a call while one runs reads once more')
  t.equal(records.latest.value?.more, false)
})

t.test('records stay when a later read fails, and the next read continues after the last record', async t => {
  let isAway = false
  const records = createRecords(async after => {
    if (isAway) throw new Error('away')
    return pageOf([record(after + 1, 'pending')], false)
  })
  await records.readOn()
  isAway = true
  await records.readOn()
  t.match(records.failure.value, { message: 'away' })
  isAway = false
  await records.readOn()
  t.equal(records.failure.value, null)
  t.equal(records.all.value.length, 2)
})

t.test('drawing highlights and counts the arrow of each change of state, and ignores records that keep the state', async t => {
  const { taken, latest, past, active } = lifeOf(
    ['pending', 'problem', 'recovering', 'problem', 'recovering', 'recovering'],
    null,
    null,
  )
  t.same(Object.fromEntries(taken), {
    'pending->problem': 1,
    'problem->recovering': 2,
    'recovering->problem': 1,
  })
  t.equal(latest, null)
  t.equal(active, 'recovering')
  t.same([...past].toSorted(), ['pending', 'problem', 'recovering'])
  t.equal(lifeOf([], null, null).active, null)
  t.same([...lifeOf(['problem'], 'problem', null).next], [], 'a reminder takes no arrow')
})

t.test('shown moment is the present, or the instant of the record in the page address', async t => {
  const records = [record(1, 'pending'), record(2, 'problem'), record(5, 'recovering')]
  const now = Date.parse(instant(50))
  t.match(momentAt(records, null, now), { index: 2, at: now, isLive: true })
  t.match(momentAt(records, 2, now), { index: 1, at: Date.parse(instant(2)), isLive: false })
  t.match(momentAt(records, 4, now), { index: 1 })
  t.match(momentAt(records, 99, now), { index: 2, isLive: false })
  t.equal(momentAt([], null, now), null)
})

t.test('drawing of a moment shows the next transition, and the time from the moment to the deadline', async t => {
  const records = [record(0, 'pending', instant(10)), record(10, 'problem', instant(40))]
  const at = (sequence: number | null, now: number) => momentAt(records, sequence, Date.parse(instant(now)))!
  const outlook = { by_time: { to: 'recovering' } as OutlookStep, by_report: [] }
  const replayed = lifeAt(records, at(0, 30), outlook)
  t.same(replayed.due, { text: 'confirmed in 0:10', share: 0 })
  t.same([...replayed.next], ['pending->problem'])
  const live = lifeAt(records, at(null, 25), outlook)
  t.same(live.due, { text: 'reminder in 0:15', share: 0.5 })
  t.same([...live.next], ['problem->recovering'])
  t.equal(lifeAt([record(1, 'closed')], momentAt([record(1, 'closed')], null, 0)!, null).due, null)
})

const step = (over: Partial<OutlookStep>): OutlookStep => ({
  ...{ event: 'hold.elapsed', at: instant(0), to: 'problem', announces: null, reminder: false, held: false, recipients: null },
  ...over,
})

t.test('sentences say what happens next and who is notified', async t => {
  const cases: [string, string][] = [
    [byTimeWords(step({ announces: 'problem' })), 'it is confirmed: Problem, and people are notified of the problem'],
    [
      byTimeWords(step({ to: 'noData', announces: 'no_data', held: true })),
      'it is confirmed: No data, and the message that data are missing is held back by maintenance',
    ],
    [
      byTimeWords(step({ event: 'recovery.elapsed', to: 'closed', announces: 'recovery' })),
      'it closes, and people are notified that it recovered',
    ],
    [byTimeWords(step({ event: 'recovery.elapsed', to: 'closed' })), 'it closes, and nobody is notified'],
    [byTimeWords(step({ event: 'reminder.due', announces: 'problem', reminder: true })), 'a reminder is sent'],
    [byTimeWords(step({ event: 'reminder.due', announces: 'problem' })), 'the first message is sent'],
    [
      byTimeWords(step({ event: 'reminder.due', reminder: true, recipients: ['Ops', 'Desk'] })),
      'a reminder is sent to Ops and Desk',
    ],
    [
      byTimeWords(step({ event: 'reminder.due', reminder: true, recipients: [] })),
      'a reminder is due, but no destination is meant for it',
    ],
    [
      byTimeWords(step({ announces: 'problem', recipients: ['Ops'] })),
      'it is confirmed: Problem, and Ops is notified of the problem',
    ],
    [
      byTimeWords(step({ announces: 'problem', recipients: [] })),
      'it is confirmed: Problem, and nobody is notified, because no destination is meant for the message',
    ],
    [
      byReportWords(step({ event: 'ok.judged', to: 'recovering' }), true),
      'If the rule is ok again: Recovering. The recovery is told when it closes.',
    ],
    [
      byReportWords(step({ event: 'ok.judged', to: 'recovering' }), false),
      'If the rule is ok again: Recovering, without a message.',
    ],
    [
      byReportWords(step({ event: 'ok.judged', to: 'closed' }), false),
      'If the rule is ok again: it closes, and nobody is notified.',
    ],
    [happenedNext(record(1, 'pending'), record(43, 'problem')), '42 s later it became Problem: event 43.'],
    [happenedNext(record(1, 'problem'), record(3, 'problem')), '2 s later it stayed Problem: event 3.'],
    [happenedNext(record(1, 'closed'), undefined), 'Nothing: it was over.'],
  ]
  for (const [found, wanted] of cases) t.equal(found, wanted)
})

t.test('words for an event fit into the room that a drawing has for the name of the event', async t => {
  for (const { events } of [incidentMachine, maintenanceMachine])
    for (const event of events.filter(name => name.includes('.'))) {
      t.not(eventWords(event), event, `${event} has words`)
      t.ok(eventWords(event).length <= event.length, event)
    }
})

t.test('each reading becomes a row with its count of observations', async t => {
  const inputs = [
    { signal: 'beat', status: 'problem', at: instant(1), reason: 'disk full', value: 3 },
    { signal: 'load', unresolved: 'never reported' },
    { signal: 'load', status: 'problem', at: instant(1), counted: { matching: 2, required: 3, within_seconds: 300 } },
    { signal: 'load', status: 'problem', at: instant(1), baseline: { days: 7, required: 50, samples: 60, median: 5 } },
  ]
  t.same(
    readingsOf({ inputs, omitted: 0, truncated: false }, {}).map(({ state, value, words }) => [state, value, words]),
    [
      ['problem', '3', 'disk full'],
      ['unknown', '', 'never reported'],
      ['problem', '', '2 of 3 needed within 300 s'],
      ['problem', '', '7-day median 5 of 60 readings'],
    ],
  )
})

t.test("reading of a location shows the location's name, and never the signal of a removed location", async t => {
  const inputs = ['reachability@aaaa', 'reachability@gone', 'beat'].map(signal => ({ signal, status: 'ok' }))
  t.same(
    readingsOf({ inputs, omitted: 0, truncated: false }, { aaaa: 'frankfurt' }).map(({ name }) => name),
    ['frankfurt', 'removed location', 'beat'],
  )
})

const item = (over: Partial<IncidentItem>): IncidentItem => ({
  ...{ id: 'i', resource: { id: 'r', key: 'r', name: 'R' }, rule: 'x', lifecycle: 'open', confirmation: 'confirmed' },
  ...{
    condition: 'problem',
    cause: null,
    explanation: '',
    closed_reason: null,
    opened_at: instant(0),
    closed_at: null,
    acknowledgement: null,
  },
  ...over,
})

t.test('a list shows the state of each incident, the worst first, and closed incidents by day', async t => {
  const items = [item({ condition: 'ok' }), item({ confirmation: 'unconfirmed' }), item({ condition: 'no_data' }), item({})]
  t.same(items.toSorted(byTrouble).map(stateOfItem), ['problem', 'no_data', 'pending', 'recovering'])
  t.equal(stateOfItem(item({ lifecycle: 'closed', condition: 'ok' })), 'closed')
  const days = byDay([5, 5, 3].map(day => item({ opened_at: `2026-01-0${day}T12:00:00Z` })))
  t.same(
    days.map(({ items }) => items.length),
    [2, 1],
  )
})

t.test('paged list loads further pages, and reloads as many pages as it has', async t => {
  const asked: (string | null)[] = []
  const list = createPaged<number>(async cursor => {
    asked.push(cursor)
    const from = Number(cursor ?? 0)
    return { items: [from], next: from < 2 ? String(from + 1) : null }
  })
  await list.reload()
  t.equal(list.hasMore.value, true)
  await list.readMore()
  await list.readMore()
  await list.readMore()
  t.same(list.items.value, [0, 1, 2])
  t.equal(list.hasMore.value, false)
  asked.length = 0
  await list.reload()
  t.same(asked, [null, '1', '2'])
})

t.test('inspector gets each message once and only at the expected origin, and all messages again after a reload', async t => {
  const posted: [unknown, string][] = []
  const popup = { postMessage: (message: unknown, origin: string) => void posted.push([message, origin]) }
  let listener: (event: MessageEvent) => void = () => {}
  const opener: Opener = {
    open: () => popup,
    addEventListener: (_name, one) => {
      listener = one
    },
    removeEventListener: () => {
      listener = () => {}
    },
  }
  const messagesOf = (sequence: number) => [{ type: '@xstate.event' }, { type: '@xstate.snapshot', sequence }]
  let newest = 3
  const readAfter = async (after: number) => {
    const next = after < newest ? messagesOf(after + 1) : []
    return { messages: next, more: after + 1 < newest }
  }
  const failures: unknown[] = []
  const inspection = startInspection(opener, readAfter, { onSent: () => {}, onFailure: error => failures.push(error) })
  const connected = (origin: string, source: unknown, type = '@statelyai.connected') =>
    listener({ origin, source, data: { type } } as MessageEvent)
  const sequences = () => posted.flatMap(([message]) => (message as { sequence?: number }).sequence ?? [])
  await inspection?.sendNews()
  connected('https://elsewhere.example', popup)
  connected(inspectorOrigin, {})
  connected(inspectorOrigin, popup, 'something')
  await inspection?.sendNews()
  t.same(posted, [])
  connected(inspectorOrigin, popup)
  await inspection?.sendNews()
  t.same(sequences(), [1, 2, 3])
  newest = 4
  await inspection?.sendNews()
  t.same(sequences(), [1, 2, 3, 4])
  t.ok(posted.every(([, origin]) => origin === inspectorOrigin))
  connected(inspectorOrigin, popup)
  await inspection?.sendNews()
  t.same(sequences(), [1, 2, 3, 4, 1, 2, 3, 4])
  inspection?.end()
  newest = 5
  await inspection?.sendNews()
  t.same(failures, [])
  t.equal(sequences().length, 8)
})
