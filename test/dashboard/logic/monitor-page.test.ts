// The logic of a monitor's page without a browser: the next state of an incident, scales of charts, values, the log, the maintenance
// window.
import t from 'tap'
import { websiteTemplate } from '#shared/checks/website/website-template.ts'
import type { ChartColumns } from '#shared/contracts/session/session-charts.ts'
import type { MonitorDetail } from '#shared/contracts/session/session-monitor.ts'
import type { MonitorRow } from '#shared/contracts/session/session-monitors.ts'
import { countedDays, utcDay } from '../../../services/dashboard/charts/counted-days.ts'
import { isMeasured, valueTicks } from '../../../services/dashboard/charts/scale.ts'
import { clockTime } from '../../../services/dashboard/data/format.ts'
import { unheardBy } from '../../../services/dashboard/data/notified.ts'
import { endsOf, lossesOf } from '../../../services/dashboard/monitor/end/farewell.ts'
import { pointsOf } from '../../../services/dashboard/monitor/figures/lines.ts'
import { number, valueLevels, valueSeries, waitingBaselines } from '../../../services/dashboard/monitor/figures/values.ts'
import { nextState } from '../../../services/dashboard/monitor/incidents/next-state.ts'
import { logAddress } from '../../../services/dashboard/monitor/log/log-page.ts'
import { stepWords, windowLife } from '../../../services/dashboard/monitor/maintenance/window.ts'
import { deliveryWords, shownRows, storedRows, toggled } from '../../../services/dashboard/monitor/messages/alert-delivery.ts'
import { barsOf } from '../../../services/dashboard/monitor/results/result-bars.ts'
import { plainWords } from '../../../services/dashboard/words/silence.ts'
import { incidentWords, ruleWords, silentSignals } from '../../../services/dashboard/words/why.ts'

t.test('time alone confirms a pending incident and closes a recovering incident, and a reminder changes no state', async t => {
  const at = '2026-01-05T12:02:00.000Z'
  const next = (
    state: 'pending' | 'problem' | 'recovering',
    what: 'confirm' | 'close' | 'remind' | null,
    verdict: string | null,
  ) => nextState({ state, next: what && { what, at } }, verdict)
  t.equal(next('pending', 'confirm', 'problem'), 'problem')
  t.equal(next('pending', 'confirm', 'no_data'), 'noData')
  t.equal(next('recovering', 'close', 'ok'), 'closed')
  t.equal(next('problem', 'remind', 'problem'), null)
  t.equal(next('pending', null, 'not_judged'), null)
})

t.test('results of checks are bars, oldest first, whose words say instant, location, outcome and value', async t => {
  const at = '2026-01-05T12:02:00.000Z'
  const result = { id: '1', signal: 'reachability@aaaa', at, reason: null }
  const values = [{ signal: 'reachability', name: 'Time left', unit: 'days' }]
  const shown = { values, locations: { aaaa: 'helsinki' } }
  const found = [
    { ...result, signal: 'other@aaaa', state: 'ok', value: 5 },
    { ...result, state: 'no_data', value: null, reason: 'cannot' },
    { ...result, state: 'problem', value: 3.2, reason: 'certificate ends in 3 days' },
    { ...result, state: 'ok', value: 61.9 },
  ]
  const bars = barsOf(found, shown)
  t.strictSame(
    bars.map(({ look }) => look),
    ['passed', 'failed', 'silent'],
  )
  t.strictSame(
    bars.map(({ words }) => words.slice(words.indexOf('helsinki'))),
    ['helsinki: OK, 61 days', 'helsinki: Problem, certificate ends in 3 days, 3.2 days', 'helsinki: No data, cannot'],
  )
})

t.test('ticks range from below the lowest value to above the highest value, and include 0', async t => {
  t.strictSame(valueTicks(90, 4), [0, 25, 50, 75, 100])
  t.strictSame(valueTicks(40, 4, -25), [-40, -20, 0, 20, 40])
  t.strictSame(valueTicks(-3, 4, -8), [-8, -6, -4, -2, 0])
  t.strictSame(valueTicks(0, 4, 0), [0, 0.25, 0.5, 0.75, 1])
})

t.test(
  'values are drawn as one line, or as three if a step has different values; thresholds and baselines are drawn as levels',
  async t => {
    const at = 1_767_614_400_000
    const from = new Date(at - 600_000).toISOString()
    const seriesOf = (figures: ChartColumns) => valueSeries({ figures }, pointsOf({ from, step_seconds: 300 }))
    t.strictSame(seriesOf({ count: [0, 2, 1], min: [null, null, 40], mean: [null, null, 40], max: [null, null, 40] }), [
      {
        name: 'value',
        points: [
          { at: at - 300_000, value: null },
          { at, value: 40 },
        ],
      },
    ])
    t.strictSame(
      seriesOf({ count: [2], min: [30], mean: [40], max: [50] }).map(({ name, points }) => [name, points[0]?.value]),
      [
        ['mean', 40],
        ['highest', 50],
        ['lowest', 30],
      ],
    )
    t.strictSame(seriesOf({ count: [2], min: [null], mean: [null], max: [null] }), [], 'reports without a value')
    const threshold = (baseline_days: number | null, median: number | null) =>
      ({ rule: 'deep', operator: 'gt', operand: 2, baseline_days, median }) as const
    t.strictSame(valueLevels({ thresholds: [threshold(null, null)] }), [{ value: 2, words: 'deep: > 2' }])
    t.strictSame(valueLevels({ thresholds: [threshold(7, 50)] }), [
      { value: 100, words: 'deep: > 2 × 7-day median 50', since: 50 },
    ])
    t.strictSame(valueLevels({ thresholds: [threshold(7, null)] }), [], 'no line without a median')
    t.strictSame(waitingBaselines({ thresholds: [threshold(7, null), threshold(7, 50)] }), ['deep'])
    t.strictSame([null, 0.1 + 0.2, 1_234.567_89, -25].map(number), ['–', '0.3', '1,234.57', '-25'])
  },
)

t.test('URL of the log contains the kind of reports, the local day of the visitor, and the start of the next page', async t => {
  const asked = (filters: Parameters<typeof logAddress>[1]) =>
    Object.fromEntries(new URLSearchParams(logAddress('a b', filters).split('?')[1]))
  t.match(logAddress('a b', { isUnaccepted: false, day: '', before: null }), '/session/monitors/a%20b/observations?limit=20')
  const { from, to, unaccepted } = asked({ isUnaccepted: true, day: '2026-03-01', before: null }) as Record<string, string>
  t.strictSame([new Date(from!), new Date(to!), unaccepted], [new Date(2026, 2, 1), new Date(2026, 2, 2), 'true'])
  const before = '2026-03-01T12:00:00.000Z'
  t.equal(asked({ isUnaccepted: false, day: '2026-03-01', before })['to'], before)
  t.strictSame(asked({ isUnaccepted: false, day: 'someday', before: null }), { limit: '20' })
})

t.test('maintenance window shows the time to its end, the person who started it, and each change of its end', async t => {
  const window = {
    value: 'running',
    context: { startedAt: 0, endsAt: 120_000, by: 'Ada', deadlineAt: 120_000 },
    steps: [
      { event: { type: 'window.started', at: 0 }, state: 'running', deadlineAt: 60_000 },
      { event: { type: 'end.moved', at: 30_000 }, state: 'running', deadlineAt: 120_000 },
    ],
  }
  const life = windowLife(window, 30_000)
  t.strictSame([life.active, [...life.next], life.due], ['running', ['running->ranOut'], { text: 'ends in 1:30', share: 0.25 }])
  const until = (ms: number) => clockTime(ms)
  t.strictSame(
    stepWords(window, 30_000).map(({ words }) => words),
    [`Started by Ada, until ${until(60_000)}.`, `The end was moved: until ${until(120_000)}.`],
  )
})

t.test('monitor of a Template can only be archived, an archived one has no action, and actions name what is lost', async t => {
  const row = {} as MonitorRow
  t.strictSame(endsOf({ row, resource: { template: 'job@1' } }), ['archive'])
  t.strictSame(endsOf({ row, resource: { template: null } }), ['archive', 'delete'])
  t.strictSame(endsOf({ row, resource: { template: websiteTemplate } }), ['archive', 'delete'])
  t.strictSame(endsOf({ row, resource: { template: 'echo-check@1' } }), ['archive'], 'another check')
  t.strictSame(endsOf({ row: null, resource: { template: websiteTemplate } }), [])
  const rules = [{ incident: {} }, { incident: {} }, { incident: null }] as MonitorDetail['rules']
  const [ends, lost] = lossesOf('delete', { kind: 'custom', rules, window: {}, values: [] })
  t.equal(
    ends,
    'Its reports are refused from then on. 2 open incidents close, and nobody is notified of that. Its maintenance ends.',
  )
  t.match(lost, /its signals and rules/)
  t.equal(
    lossesOf('archive', {
      kind: 'website',
      rules: [],
      window: null,
      values: [{ signal: 'reachability', name: 'Time', unit: 'ms', ends: null }],
    })[0],
    'Its checks stop.',
  )
})

t.test('checked boxes of alert delivery become rows, and a sentence says who gets which messages', async t => {
  const none = toggled([], 1, 'problem')
  const both = toggled(toggled(none, 1, 'recovery'), 2, 'no_data')
  t.strictSame(both, [
    { destination_id: 1, alert_kinds: ['problem', 'recovery'] },
    { destination_id: 2, alert_kinds: ['no_data'] },
  ])
  t.strictSame(toggled(both, 2, 'no_data'), both.slice(0, 1), 'a destination without kinds has no row')
  const destinations = [
    { id: 1, name: 'Ops', enabled: true },
    { id: 2, name: 'Desk', enabled: true },
  ]
  const cases: [rows: Parameters<typeof toggled>[0], usual: string | null, words: string][] = [
    [both, 'Ops', 'Ops gets problems and recoveries; Desk gets no data.'],
    [none, 'Ops', 'Ops gets problems. Nobody is notified of no data and recoveries.'],
    [[], 'Ops', 'Ops, the default of the workspace, gets all messages.'],
    [[], null, 'Nobody is notified: no destination is chosen, and the workspace has no default.'],
  ]
  for (const [rows, usual, words] of cases) t.equal(deliveryWords({ destinations, rows, usual }), words)
})

t.test('uptime says since when it counts, and a chart without values is not drawn', async t => {
  const day = (n: number, uptime: number | null) => ({ day: `2026-11-0${n}`, uptime, trouble_seconds: 0, incidents: 0 })
  t.equal(countedDays([day(1, 1), day(2, 1)]), '2 days')
  t.equal(countedDays([day(1, null), day(2, 0.5)]), `Since ${utcDay('2026-11-02')}`)
  t.equal(countedDays([day(1, null)]), 'Not watched yet')
  t.notOk(isMeasured([{ points: [{ at: 0, value: null }] }]), 'checks that measured nothing have no axis')
  t.ok(isMeasured([{ points: [{ at: 0, value: 0 }] }]))
})

t.test('table of a monitor without rows of its own shows the default, and stores nothing for it', async t => {
  const destinations = [
    { id: 1, name: 'Ops', enabled: true, default: true },
    { id: 2, name: 'Desk', enabled: true, default: false },
  ]
  const usual = shownRows([], destinations)
  t.strictSame(usual, [{ destination_id: 1, alert_kinds: ['problem', 'no_data', 'recovery'] }])
  t.strictSame(storedRows(usual, destinations), [])
  t.strictSame(storedRows(toggled(usual, 2, 'problem'), destinations).length, 2, 'another one is added to the default')
  t.strictSame(shownRows([], destinations.slice(1)), [], 'without a default nobody is notified')
})

t.test('banner says why nobody is notified', async t => {
  const one = (enabled: boolean, isDefault: boolean) => ({ enabled, default: isDefault })
  t.equal(unheardBy([]), 'none')
  t.equal(unheardBy([one(false, true)]), 'disabled')
  t.equal(unheardBy([one(false, true), one(true, false)]), 'no default')
  t.equal(unheardBy([one(true, true), one(false, false)]), null)
})

const now = Date.parse('2026-11-28T16:40:00Z')
const known = { expects: { beat: 10, load: null }, nameOf: (signal: string) => signal.replace('reachability@aaaa', 'de'), now }
const said = (verdict: 'problem' | 'ok' | 'no_data' | 'not_judged', explanation: string, inputs: object[]) =>
  ruleWords({ verdict, explanation, evidence: { inputs, omitted: 0, truncated: false } }, known)

t.test('rule says in plain words what is silent, what waits and what fails', async t => {
  const silent = { signal: 'beat', unresolved: 'silent since 2026-11-28T16:39:26.000Z' }
  const cases: [found: string | null, wanted: string][] = [
    [said('problem', 'beat not known', [silent]), 'No report since 16:39:26 UTC, expected every 10 s.'],
    [
      said('no_data', 'x', [silent, { signal: 'load', unresolved: 'never reported' }]),
      'No report of beat since 16:39:26 UTC, expected every 10 s. Load waits for its first report.',
    ],
    [said('not_judged', 'x', [{ signal: 'beat', unresolved: 'never reported' }]), 'Waiting for its first report.'],
    [
      said('problem', '1 of 1 location failing', [
        { signal: 'reachability@aaaa', status: 'problem', reason: 'status 503, expected 200' },
      ]),
      'Status 503, expected 200 (de).',
    ],
    [
      said('problem', '2 of 2 locations failing', [
        { signal: 'load', status: 'problem', at: '2026-11-28T16:38:00.000Z', reason: 'status 500' },
        { signal: 'reachability@aaaa', status: 'problem', at: '2026-11-28T16:39:00.000Z', reason: 'status 503' },
      ]),
      'Status 503 (de). 2 of 2 locations failing.',
    ],
    [
      said('problem', '1 of 2 locations failing', [
        { signal: 'b', status: 'ok' },
        { signal: 'a', status: 'problem', reason: 'refused' },
      ]),
      'Refused (a). 1 of 2 locations failing.',
    ],
    [said('problem', 'load 97', [{ signal: 'load', status: 'problem', value: 97 }]), 'Load 97.'],
    [said('ok', 'all 2 locations ok', [{ signal: 'beat', status: 'ok' }, silent]), 'All 2 locations ok.'],
  ]
  for (const [found, wanted] of cases) t.equal(found, wanted)
  t.equal(
    plainWords('nothing reported since 2026-11-27T01:02:03.000Z (beat)', now),
    'no report since 2026-11-27 01:02:03 UTC (beat)',
  )
  t.strictSame(
    [...silentSignals([{ evidence: { inputs: [silent], omitted: 0, truncated: false } }])],
    [['beat', Date.parse('2026-11-28T16:39:26Z')]],
  )
})

t.test('open incident says its stored cause first, then what else its rule says, each once', async t => {
  const incident = (cause: string | null) => ({ cause }) as NonNullable<MonitorDetail['rules'][number]['incident']>
  const about = (
    verdict: 'problem' | 'ok' | 'no_data' | 'not_judged',
    cause: string | null,
    explanation: string,
    inputs: object[],
  ) =>
    incidentWords({ verdict, explanation, evidence: { inputs, omitted: 0, truncated: false }, incident: incident(cause) }, known)
  const failing = { signal: 'a', status: 'problem', reason: 'refused' }
  const silent = { signal: 'beat', unresolved: 'silent since 2026-11-28T16:39:26.000Z' }
  const quiet = 'No report since 16:39:26 UTC, expected every 10 s.'
  const cases: [found: string | null, wanted: string][] = [
    [about('problem', 'refused (a)', '1 of 1 input failing', [failing]), 'Refused (a).'],
    [
      about('problem', 'status 503 (b)', '2 of 2 inputs failing', [failing, { ...failing, signal: 'b', reason: 'status 503' }]),
      'Status 503 (b). 2 of 2 inputs failing.',
    ],
    [about('problem', 'load 97', 'load 97', [failing, failing]), 'Load 97.'],
    [about('ok', 'refused (a)', 'all inputs ok', [{ signal: 'a', status: 'ok' }]), 'Was: refused (a).'],
    [about('no_data', 'refused (beat)', 'x', [silent]), `Refused (beat). ${quiet}`],
    [about('not_judged', 'refused (beat)', 'x', [silent]), `Refused (beat). ${quiet}`],
    [about('no_data', `${silent.unresolved} (beat)`, 'x', [silent]), quiet],
    [about('no_data', 'nothing reported since 2026-11-28T16:39:26.000Z (beat)', 'x', [silent]), quiet],
    [
      about('no_data', 'never reported (beat)', 'x', [{ signal: 'beat', unresolved: 'never reported' }]),
      'Waiting for its first report.',
    ],
    [about('problem', null, 'x', [failing]), 'Refused (a).'],
  ]
  for (const [found, wanted] of cases) t.equal(found, wanted)
})
