// Next step of an open incident by time alone, the transitions in its history, and the instants and status words of its records. Reference:
// docs/reference/v3.md, 5.2 and 5.7.
import t from 'tap'
import { incidentMachine } from '#machines/incident.ts'
import { nextStep } from '#machines/incident-outlook.ts'
import { isListed, statusWords, tookEffectAt } from '#machines/incident-records.ts'
import type { IncidentEvent } from '#machines/incident-types.ts'
import { initialTransition, transition } from '#machines/transition.ts'
import type { IncidentContext, IncidentState } from '#shared/contracts/incidents/incident.ts'

const minute = 60_000
const hour = 60 * minute

interface Held {
  value: IncidentState
  context: IncidentContext
}

/** Returns the incident after these events, and whether the history lists each event, beginning with the opening. */
function play(events: readonly IncidentEvent[], condition: 'problem' | 'no_data' = 'problem', closeAfterMs = 3 * minute) {
  const input = { incidentId: 's.1', ruleKey: 'down', at: 0, condition, confirmAfterMs: 2 * minute, closeAfterMs }
  let [snapshot] = initialTransition(incidentMachine, input)
  const listed = [isListed({ type: `${condition}.judged`, at: 0 }, null, snapshot.context)]
  for (const event of events) {
    const before = snapshot.context
    snapshot = transition(incidentMachine, snapshot, event)[0]
    listed.push(isListed(event as never, before, snapshot.context))
  }
  return { held: { value: snapshot.value, context: snapshot.context } as Held, listed }
}

const confirm = { type: 'hold.elapsed', at: 2 * minute } as const
const well = (at: number) => ({ type: 'ok.judged', at }) as const
const taken = (at: number) => ({ type: 'incident.acknowledged', at, by: 'Ada', via: 'api' }) as const

t.test('`next` equals the step of the machine at its deadline (v3 5.7)', t => {
  const cases: [title: string, events: IncidentEvent[], next: object | null, undecided: object | null][] = [
    ['opened', [], { what: 'confirm', at: 2 * minute }, null],
    ['confirmed', [confirm], { what: 'remind', at: 2 * minute + 4 * hour }, { what: 'remind', at: 2 * minute + 4 * hour }],
    ['recovering', [confirm, well(hour)], { what: 'close', at: hour + 3 * minute }, null],
    ['its hold stands still', [{ type: 'unknown.judged', at: minute }], null, null],
    ['taken on before its confirmation', [taken(minute)], { what: 'confirm', at: 2 * minute }, null],
    ['taken on', [confirm, taken(hour)], null, null],
    ['turned to no data', [confirm, { type: 'no_data.judged', at: hour }], null, null],
    ['closed', [confirm, well(hour), { type: 'recovery.elapsed', at: hour + 3 * minute }], null, null],
  ]
  for (const [title, events, next, undecided] of cases) {
    const { held } = play(events)
    t.strictSame(nextStep(held, { isDecided: true, mutedTo: null }), next, title)
    t.strictSame(nextStep(held, { isDecided: false, mutedTo: null }), undecided, `${title}, undecided`)
  }
  t.end()
})

t.test('reminder in `next` is due after the end of the window when maintenance runs (v3 5.7)', t => {
  const { held } = play([confirm])
  const first = 2 * minute + 4 * hour
  const cases: [title: string, mutedTo: number, at: number][] = [
    ['an end before it', first - 1, first],
    ['an end at its instant', first, first],
    ['an end right behind it', first + 1, first + 4 * hour],
    ['an end at the instant of the second', first + 4 * hour, first + 4 * hour],
    ['an end in years', first + 4 * hour * 5_000 - 1, first + 4 * hour * 5_000],
  ]
  for (const [title, mutedTo, at] of cases)
    t.strictSame(nextStep(held, { isDecided: true, mutedTo }), { what: 'remind', at }, title)
  t.strictSame(nextStep(play([]).held, { isDecided: true, mutedTo: hour }), { what: 'confirm', at: 2 * minute }, 'holds go on')
  t.end()
})

t.test('history lists only openings, confirmations, changed verdicts and closings (v3 5.2)', t => {
  const lives: [title: string, events: IncidentEvent[], listed: boolean[], closeAfterMs?: number][] = [
    ['a whole life', [confirm, well(hour), { type: 'recovery.elapsed', at: hour }], [true, true, true, true]],
    [
      'a recovery that closes at once',
      [confirm, well(hour), { type: 'recovery.elapsed', at: hour }],
      [true, true, false, true],
      0,
    ],
    [
      'a recovery that would close at once, but for a silence that is held back',
      [confirm, { ...well(hour), provisional: true }],
      [true, true, true],
      0,
    ],
    ['from problem to no data', [confirm, { type: 'no_data.judged', at: hour }], [true, true, true]],
    ['problem again', [{ type: 'problem.judged', at: minute }], [true, false]],
    [
      'what people and holds do',
      [taken(1), { type: 'unknown.judged', at: 2 }, { type: 'known.judged', at: 3 }],
      [true, false, false, false],
    ],
    ['a reminder', [confirm, { type: 'reminder.due', at: 5 * hour }], [true, true, false]],
    ['other holds', [{ type: 'policy.replaced', at: 1, confirmAfterMs: 5, closeAfterMs: 5 }], [true, false]],
    ['a removed rule', [{ type: 'rule.removed', at: 1 }], [true, true]],
    ['an archived Resource', [confirm, { type: 'subject.archived', at: hour }], [true, true, true]],
  ]
  for (const [title, events, listed, closeAfterMs] of lives)
    t.strictSame(play(events, 'problem', closeAfterMs).listed, listed, title)
  t.end()
})

t.test('transition takes effect at the end of a delay or at the recovery, otherwise at its event', t => {
  const open = { confirmedAt: null, closedAt: null }
  const cases: [type: string, context: object, at: number][] = [
    ['problem.judged', open, 90],
    ['hold.elapsed', { ...open, confirmedAt: 40 }, 40],
    ['reminder.due', { ...open, confirmedAt: 40 }, 90],
    ['ok.judged', { ...open, confirmedAt: 40 }, 90],
    ['recovery.elapsed', { confirmedAt: 40, closedAt: 60 }, 60],
    ['rule.removed', { confirmedAt: null, closedAt: 90 }, 90],
  ]
  for (const [type, context, at] of cases) t.equal(tookEffectAt({ type, at: 90 }, context as IncidentContext), at, type)
  t.end()
})

t.test('status words of the API differ from the names of states for no data and for a closed incident', t => {
  const words = { pending: 'pending', problem: 'problem', noData: 'no_data', recovering: 'recovering', closed: 'ok' }
  t.strictSame(statusWords, words)
  t.end()
})
