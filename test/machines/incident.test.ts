// The incident machine: reference/incidents 2 and 3 as tables of events, and every path of its graph.
import t from 'tap'
import { initialTransition, transition } from 'xstate'
import { getShortestPaths } from 'xstate/graph'
import { incidentMachine } from '#machines/incident.ts'
import type { IncidentEvent, IncidentInput } from '#machines/incident-types.ts'
import type { IncidentContext } from '#shared/contracts/incidents/incident.ts'

const minute = 60_000
const hour = 60 * minute
const holds = { confirmAfterMs: 2 * minute, closeAfterMs: 2 * minute }
const input = (over: Partial<IncidentInput> = {}): IncidentInput => ({
  incidentId: 'subject.1',
  ruleKey: 'availability',
  at: 0,
  condition: 'problem',
  ...holds,
  ...over,
})

/** Sends the events in turn; returns the last state with all messages and records. */
function walk(events: IncidentEvent[], given = input()) {
  let [snapshot, first] = initialTransition(incidentMachine, given)
  const told: string[] = []
  const recorded: string[] = []
  const note = (orders: readonly { type: string; params?: unknown }[]) => {
    for (const order of orders) {
      const params = order.params as { kind: string; reminder?: boolean; held?: boolean }
      if (order.type === 'announce') told.push(params.held ? `held ${params.kind}` : params.reminder ? 'reminder' : params.kind)
      if (order.type === 'record') recorded.push(params.kind)
    }
  }
  note(first)
  for (const event of events) {
    const [next, orders] = transition(incidentMachine, snapshot, event)
    snapshot = next
    note(orders)
  }
  return { state: snapshot.value as string, context: snapshot.context as IncidentContext, told, recorded }
}

const bad = (at: number): IncidentEvent => ({ type: 'problem.judged', at })
const silent = (at: number): IncidentEvent => ({ type: 'no_data.judged', at })
const ok = (at: number): IncidentEvent => ({ type: 'ok.judged', at })
const held = (at: number): IncidentEvent => ({ type: 'hold.elapsed', at })
const recovered = (at: number): IncidentEvent => ({ type: 'recovery.elapsed', at })
const remind = (at: number): IncidentEvent => ({ type: 'reminder.due', at })
const unknown = (at: number): IncidentEvent => ({ type: 'unknown.judged', at })
const known = (at: number): IncidentEvent => ({ type: 'known.judged', at })
const mutedHeld = (at: number): IncidentEvent => ({ type: 'hold.elapsed', at, muted: true })
const mutedBad = (at: number): IncidentEvent => ({ type: 'problem.judged', at, muted: true })
const mutedRemind = (at: number): IncidentEvent => ({ type: 'reminder.due', at, muted: true })
const flaps = (at: number, muted?: true): IncidentEvent => ({ type: 'flapping.counted', at, ...(muted && { muted }) })
const okUntil = (at: number, flapsUntil: number): IncidentEvent => ({ type: 'ok.judged', at, flapsUntil })
const acknowledge = (at: number, by = 'ann'): IncidentEvent => ({ type: 'incident.acknowledged', at, by, via: 'api' })

interface Case {
  title: string
  given?: Partial<IncidentInput>
  events: IncidentEvent[]
  state: string
  told: string[]
  context?: Partial<IncidentContext>
}

const loud = { announcesAll: true }
/** Cases for rules of Templates (docs/reference/v3.md, 10.5 and 10.6). */
const loudCases: Case[] = [
  { title: 'opening is announced when the rule has a hold', given: loud, events: [], state: 'pending', told: ['opened'] },
  {
    title: 'opening is not announced when the hold is 0',
    given: { ...loud, confirmAfterMs: 0 },
    events: [held(0)],
    state: 'problem',
    told: ['problem'],
    context: { opening: 'silent' },
  },
  {
    title: 'opening is held when maintenance runs',
    given: { ...loud, muted: true },
    events: [],
    state: 'pending',
    told: ['held opened'],
    context: { opening: 'held' },
  },
  {
    title: 'opening is announced once when the rule fails, recovers and fails again',
    given: loud,
    events: [ok(minute), bad(90_000), ok(100_000), bad(110_000)],
    state: 'pending',
    told: ['opened'],
  },
  {
    title: 'recovery is announced without a confirmation when the opening was announced',
    given: loud,
    events: [ok(minute), recovered(3 * minute)],
    state: 'closed',
    told: ['opened', 'recovery'],
    context: { confirmedAt: null, closedAt: minute },
  },
  {
    title: 'recovery is not announced when the opening was held and nothing was confirmed',
    given: { ...loud, muted: true },
    events: [ok(minute), recovered(3 * minute)],
    state: 'closed',
    told: ['held opened'],
  },
  {
    title: 'recovery is announced once when opening and confirmation were announced',
    given: loud,
    events: [held(2 * minute), ok(5 * minute), recovered(7 * minute)],
    state: 'closed',
    told: ['opened', 'problem', 'recovery'],
  },
  {
    title: 'acknowledgement is announced once when two people acknowledge',
    given: loud,
    events: [acknowledge(minute), acknowledge(90_000, 'bob'), held(2 * minute)],
    state: 'problem',
    told: ['opened', 'acknowledged', 'problem'],
    context: { acknowledgedBy: 'ann' },
  },
  {
    title: 'acknowledgement is announced when the hold is 0',
    given: { ...loud, confirmAfterMs: 0 },
    events: [held(0), acknowledge(minute)],
    state: 'problem',
    told: ['problem', 'acknowledged'],
  },
  {
    title: 'removal of the rule is not announced when the opening was',
    given: loud,
    events: [{ type: 'rule.removed', at: minute }],
    state: 'closed',
    told: ['opened'],
  },
]

/** Cases for rules that count their changes (docs/reference/v3.md, 4.14). */
const flappingCases: Case[] = [
  {
    title: 'flapping confirms a pending incident at once, and reminders count from then',
    events: [ok(10_000), bad(20_000), flaps(20_000)],
    state: 'problem',
    told: ['problem'],
    context: { confirmedAt: 20_000, effectiveAt: 20_000, deadlineAt: 20_000 + 4 * hour },
  },
  {
    title: 'flapping confirms a recovering incident, which goes on recovering until the window lets it',
    events: [okUntil(10_000, 10 * minute), flaps(10_000)],
    state: 'recovering',
    told: ['problem'],
    context: { condition: 'ok', confirmedAt: 10_000, announced: 'problem', deadlineAt: 10 * minute, reminderAt: null },
  },
  {
    title: 'recovery takes the longer of its delay and the window',
    events: [okUntil(10_000, minute)],
    state: 'recovering',
    told: [],
    context: { deadlineAt: 10_000 + 2 * minute },
  },
  {
    title: 'window lasts over a pause and over new delays',
    events: [
      okUntil(10_000, hour),
      unknown(minute),
      known(2 * minute),
      { type: 'policy.replaced', at: 3 * minute, confirmAfterMs: 0, closeAfterMs: 0 },
    ],
    state: 'recovering',
    told: [],
    context: { deadlineAt: hour },
  },
  {
    title: 'flapping of a confirmed incident changes nothing',
    events: [held(2 * minute), flaps(3 * minute), ok(4 * minute), flaps(4 * minute)],
    state: 'recovering',
    told: ['problem'],
    context: { confirmedAt: 2 * minute },
  },
  {
    title: 'flapping during maintenance is held, and told at the next reminder',
    events: [okUntil(10_000, 10 * minute), flaps(10_000, true), bad(20_000), remind(10_000 + 4 * hour)],
    state: 'problem',
    told: ['held problem', 'problem'],
    context: { problemHeld: false },
  },
  {
    title: 'flapping confirmed while ok, bad again: no second message',
    events: [okUntil(10_000, 10 * minute), flaps(10_000), bad(20_000)],
    state: 'problem',
    told: ['problem'],
  },
  {
    title: 'incident that flapping confirmed closes as of the beginning of its recovery',
    events: [okUntil(10_000, 10 * minute), flaps(10_000), recovered(10 * minute)],
    state: 'closed',
    told: ['problem', 'recovery'],
    context: { closedAt: 10_000, confirmedAt: 10_000 },
  },
]

const cases: Case[] = [
  {
    title: 'opens pending, with the confirm hold as its deadline',
    events: [],
    state: 'pending',
    told: [],
    context: { deadlineAt: 2 * minute },
  },
  {
    title: 'is confirmed at the exact end of its hold and told once',
    events: [held(2 * minute)],
    state: 'problem',
    told: ['problem'],
    context: { confirmedAt: 2 * minute, deadlineAt: 2 * minute + 4 * hour },
  },
  {
    title: 'is confirmed at the exact end of its hold even when the event comes late',
    events: [held(9 * minute)],
    state: 'problem',
    told: ['problem'],
    context: { confirmedAt: 2 * minute },
  },
  {
    title: 'ok resets the hold, trouble_since stays, bad again starts the hold over',
    events: [ok(minute), bad(90_000)],
    state: 'pending',
    told: [],
    context: { troubleSince: 0, badSince: 90_000, wellSince: null, deadlineAt: 90_000 + 2 * minute },
  },
  {
    title: 'never confirmed: closes backdated to well_since and tells nobody',
    events: [ok(minute), recovered(3 * minute)],
    state: 'closed',
    told: [],
    context: { closedAt: minute, closedReason: 'recovered' },
  },
  {
    title: 'confirmed: closes backdated to well_since and tells the recovery',
    events: [held(2 * minute), ok(5 * minute), recovered(7 * minute)],
    state: 'closed',
    told: ['problem', 'recovery'],
    context: { closedAt: 5 * minute, wellSince: 5 * minute, deadlineAt: null },
  },
  {
    title: 'bad again while recovering: same incident, well_since null, no new message',
    events: [held(2 * minute), ok(5 * minute), bad(6 * minute)],
    state: 'problem',
    told: ['problem'],
    context: { wellSince: null, troubleSince: 0, confirmedAt: 2 * minute },
  },
  {
    title: 'problem to no data inside a confirmed incident sends nothing',
    events: [held(2 * minute), silent(5 * minute)],
    state: 'noData',
    told: ['problem'],
  },
  {
    title: 'announced only as no data: the problem message is sent once when it turns',
    given: { condition: 'no_data' },
    events: [held(2 * minute), bad(3 * minute), silent(4 * minute), bad(5 * minute)],
    state: 'problem',
    told: ['no_data', 'problem'],
  },
  {
    title: 'announced only as no data, recovering, then failing: the problem is told',
    given: { condition: 'no_data' },
    events: [held(2 * minute), ok(3 * minute), bad(4 * minute)],
    state: 'problem',
    told: ['no_data', 'problem'],
  },
  {
    title: 'no data is confirmed by its condition at the end of the hold',
    events: [silent(minute), held(2 * minute)],
    state: 'noData',
    told: ['no_data'],
    context: { confirmedAt: 2 * minute, deadlineAt: null },
  },
  {
    title: 'reminders come every four hours on the grid of the confirmation',
    events: [held(2 * minute), remind(2 * minute + 4 * hour), remind(2 * minute + 8 * hour)],
    state: 'problem',
    told: ['problem', 'reminder', 'reminder'],
    context: { reminderAt: 2 * minute + 12 * hour },
  },
  {
    title: 'a reminder missed is skipped to the next instant of the grid and never replayed',
    events: [held(2 * minute), { type: 'reminder.missed', at: 13 * hour }],
    state: 'problem',
    told: ['problem'],
    context: { reminderAt: 2 * minute + 16 * hour },
  },
  {
    title: 'an acknowledgement stops reminders and changes no status',
    events: [held(2 * minute), acknowledge(hour), remind(2 * minute + 4 * hour)],
    state: 'problem',
    told: ['problem', 'acknowledged'],
    context: { acknowledgedAt: hour, acknowledgedBy: 'ann', reminderAt: null, deadlineAt: null },
  },
  {
    title: 'an acknowledgement inside the hold does not stop the confirmation',
    events: [acknowledge(minute), held(2 * minute)],
    state: 'problem',
    told: ['problem'],
    context: { acknowledgedAt: minute, deadlineAt: null },
  },
  {
    title: 'a second acknowledgement keeps the first person and time',
    events: [acknowledge(minute), acknowledge(90_000, 'bob')],
    state: 'pending',
    told: [],
    context: { acknowledgedBy: 'ann', acknowledgedAt: minute },
  },
  {
    title: 'after no data it goes on reminding from the same grid',
    events: [held(2 * minute), silent(hour), bad(5 * hour)],
    state: 'problem',
    told: ['problem'],
    context: { reminderAt: 2 * minute + 8 * hour },
  },
  {
    title: 'v3 10.16: removing its rule closes it now, and withdraws what was told',
    events: [held(2 * minute), { type: 'rule.removed', at: hour }],
    state: 'closed',
    told: ['problem', 'withdrawn'],
    context: { closedAt: hour, closedReason: 'rule_removed', deadlineAt: null, reminderAt: null },
  },
  {
    title: 'v3 10.16: what maintenance held is not withdrawn',
    events: [mutedHeld(2 * minute), { type: 'subject.archived', at: hour }],
    state: 'closed',
    told: ['held problem'],
    context: { closedReason: 'resource_archived' },
  },
  {
    title: 'archiving its subject closes it now and tells nobody',
    events: [{ type: 'subject.archived', at: minute }],
    state: 'closed',
    told: [],
    context: { closedReason: 'resource_archived' },
  },
  {
    title: 'new holds count from when the trouble began',
    events: [{ type: 'policy.replaced', at: minute, confirmAfterMs: 5 * minute, closeAfterMs: minute }],
    state: 'pending',
    told: [],
    context: { deadlineAt: 5 * minute },
  },
  {
    title: 'new holds count from when the recovery began',
    events: [
      held(2 * minute),
      ok(3 * minute),
      { type: 'policy.replaced', at: 4 * minute, confirmAfterMs: 0, closeAfterMs: 10 * minute },
    ],
    state: 'recovering',
    told: ['problem'],
    context: { deadlineAt: 13 * minute },
  },
  {
    title: 'confirmed during maintenance: held, told at its next reminder, reminded of from then on',
    events: [mutedHeld(2 * minute), remind(2 * minute + 4 * hour), remind(2 * minute + 8 * hour)],
    state: 'problem',
    told: ['held problem', 'problem', 'reminder'],
    context: { confirmedAt: 2 * minute, announced: 'problem' },
  },
  {
    title: 'held by maintenance, well for a moment and bad again: no new message, told at its next reminder',
    events: [mutedHeld(2 * minute), ok(hour), bad(hour + minute), remind(2 * minute + 4 * hour)],
    state: 'problem',
    told: ['held problem', 'problem'],
    context: { reminderAt: 2 * minute + 8 * hour, problemHeld: false },
  },
  {
    title: 'held by maintenance, silent and bad again: told at its next reminder',
    events: [mutedHeld(2 * minute), silent(hour), bad(2 * hour), remind(2 * minute + 4 * hour)],
    state: 'problem',
    told: ['held problem', 'problem'],
  },
  {
    title: 'told as no data, its problem held by maintenance: told when it turns again',
    events: [silent(minute), held(3 * minute), mutedBad(hour), silent(2 * hour), bad(3 * hour)],
    state: 'problem',
    told: ['no_data', 'held problem', 'problem'],
  },
  {
    title: 'held by maintenance and acknowledged: bad again tells nobody',
    events: [mutedHeld(2 * minute), acknowledge(hour), ok(2 * hour), bad(2 * hour + minute)],
    state: 'problem',
    told: ['held problem'],
  },
  {
    title: 'held by maintenance and told as no data at a reminder: the problem is told when it turns',
    events: [mutedHeld(2 * minute), silent(hour), remind(2 * minute + 4 * hour), bad(5 * hour)],
    state: 'problem',
    told: ['held problem', 'no_data', 'problem'],
  },
  {
    title: 'reminders are paused while maintenance runs',
    events: [held(2 * minute), mutedRemind(2 * minute + 4 * hour), remind(2 * minute + 8 * hour)],
    state: 'problem',
    told: ['problem', 'reminder'],
    context: { reminderAt: 2 * minute + 12 * hour },
  },
  {
    title: 'a silence confirmed during maintenance is told once, at the next instant of a reminder',
    given: { condition: 'no_data' },
    events: [
      mutedHeld(2 * minute),
      mutedRemind(2 * minute + 4 * hour),
      remind(2 * minute + 8 * hour),
      remind(2 * minute + 12 * hour),
    ],
    state: 'noData',
    told: ['held no_data', 'no_data'],
    context: { reminderAt: null, deadlineAt: null },
  },
  {
    title: 'a silence that turns problem during maintenance: the problem waits for the next reminder',
    given: { condition: 'no_data' },
    events: [held(2 * minute), mutedBad(3 * minute), remind(2 * minute + 4 * hour)],
    state: 'problem',
    told: ['no_data', 'held problem', 'problem'],
  },
  {
    title: 'a problem held by maintenance that falls silent is told as no data at the next reminder',
    events: [mutedHeld(2 * minute), silent(hour), remind(2 * minute + 4 * hour)],
    state: 'noData',
    told: ['held problem', 'no_data'],
  },
  {
    title: 'a recovery is never held, also of what was never told because of maintenance',
    events: [mutedHeld(2 * minute), ok(5 * minute), recovered(7 * minute)],
    state: 'closed',
    told: ['held problem', 'recovery'],
  },
  {
    title: 'acknowledged while maintenance held its message: nothing more is told until it recovers',
    events: [mutedHeld(2 * minute), acknowledge(hour), remind(2 * minute + 4 * hour), ok(5 * hour), recovered(6 * hour)],
    state: 'closed',
    told: ['held problem', 'recovery'],
  },
  {
    title: 'ok resets the hold: confirmed at the exact end of the hold that began anew, however late the event',
    events: [ok(minute), bad(90_000), held(9 * minute)],
    state: 'problem',
    told: ['problem'],
    context: { troubleSince: 0, badSince: 90_000, confirmedAt: 90_000 + 2 * minute },
  },
  {
    title: 'new holds count from when the rule was last ok, not from when the trouble began',
    events: [ok(minute), bad(90_000), { type: 'policy.replaced', at: 2 * minute, confirmAfterMs: 5 * minute, closeAfterMs: 0 }],
    state: 'pending',
    told: [],
    context: { troubleSince: 0, deadlineAt: 90_000 + 5 * minute },
  },
  {
    title: 'new holds of what is confirmed move no reminder',
    events: [held(2 * minute), { type: 'policy.replaced', at: 3 * minute, confirmAfterMs: 5 * minute, closeAfterMs: minute }],
    state: 'problem',
    told: ['problem'],
    context: { confirmedAt: 2 * minute, deadlineAt: 2 * minute + 4 * hour, reminderAt: 2 * minute + 4 * hour },
  },
  {
    title: 'well for a moment and bad again: the next reminder comes from the same grid',
    events: [held(2 * minute), ok(hour), bad(hour + minute)],
    state: 'problem',
    told: ['problem'],
    context: { reminderAt: 2 * minute + 4 * hour, deadlineAt: 2 * minute + 4 * hour },
  },
  {
    title: 'nobody is reminded of a problem that fell silent',
    events: [held(2 * minute), silent(hour)],
    state: 'noData',
    told: ['problem'],
    context: { reminderAt: null, deadlineAt: null },
  },
  {
    title: 'a silence that maintenance held, well for a moment and silent again: to be told at its next reminder',
    given: { condition: 'no_data' },
    events: [mutedHeld(2 * minute), ok(hour), silent(hour + minute)],
    state: 'noData',
    told: ['held no_data'],
    context: { reminderAt: 2 * minute + 4 * hour, deadlineAt: 2 * minute + 4 * hour },
  },
  {
    title: 'a silence that was told waits for no reminder, also after one was missed',
    given: { condition: 'no_data' },
    events: [mutedHeld(2 * minute), { type: 'reminder.missed', at: 5 * hour }, remind(2 * minute + 8 * hour)],
    state: 'noData',
    told: ['held no_data', 'no_data'],
    context: { reminderAt: null, deadlineAt: null },
  },
  {
    title: 'a silence that maintenance held and somebody took on is told to nobody',
    given: { condition: 'no_data' },
    events: [mutedHeld(2 * minute), acknowledge(hour), remind(2 * minute + 4 * hour)],
    state: 'noData',
    told: ['held no_data'],
  },
  {
    title: 'its rule is removed while it recovers: closed now, not backdated, with nothing left to wait for',
    events: [held(2 * minute), ok(5 * minute), { type: 'rule.removed', at: 6 * minute }],
    state: 'closed',
    told: ['problem', 'withdrawn'],
    context: { closedAt: 6 * minute, wellSince: 5 * minute, closedReason: 'rule_removed', deadlineAt: null, reminderAt: null },
  },
  {
    title: 'acknowledged from the dashboard: where it was taken on is kept',
    events: [{ type: 'incident.acknowledged', at: minute, by: 'ann', via: 'ui' }],
    state: 'pending',
    told: [],
    context: { acknowledgedBy: 'ann', acknowledgedVia: 'ui', deadlineAt: 2 * minute },
  },
  {
    title: 'v3 4.7: a confirmation delay stands still while the rule is unknown, and the incident has no deadline',
    events: [unknown(minute)],
    state: 'pending',
    told: [],
    context: { deadlineAt: null, pausedAt: minute },
  },
  {
    title: 'v3 4.7: it goes on from where it stood, and is confirmed when the decided time reaches it',
    events: [unknown(minute), known(10 * minute), unknown(10 * minute + 30_000), known(20 * minute), held(20 * minute + 30_000)],
    state: 'problem',
    told: ['problem'],
    context: { confirmedAt: 20 * minute + 30_000, effectiveAt: 20 * minute + 30_000 },
  },
  {
    title: 'v3 4.7: a second unknown pauses nothing anew',
    events: [unknown(minute), unknown(5 * minute), known(10 * minute)],
    state: 'pending',
    told: [],
    context: { deadlineAt: 11 * minute },
  },
  {
    title: 'v3 4.7: a recovery delay stands still as well, and the closing is backdated to the recovery',
    events: [held(2 * minute), ok(5 * minute), unknown(6 * minute), known(16 * minute), recovered(17 * minute)],
    state: 'closed',
    told: ['problem', 'recovery'],
    context: { closedAt: 5 * minute, effectiveAt: 5 * minute },
  },
  {
    title: 'v3 4.7: ok after unknown begins a recovery delay of its own, and trouble after that a whole confirmation delay',
    events: [unknown(minute), ok(10 * minute), unknown(10 * minute + 1), bad(11 * minute)],
    state: 'pending',
    told: [],
    context: { badSince: 11 * minute, pausedAt: null, pausedMs: 0, deadlineAt: 13 * minute },
  },
  {
    title: 'v3 4.7: new holds count what stood still, and a paused hold gets no deadline by them',
    events: [
      unknown(minute),
      { type: 'policy.replaced', at: 2 * minute, confirmAfterMs: 3 * minute, closeAfterMs: 0 },
      known(5 * minute),
    ],
    state: 'pending',
    told: [],
    context: { deadlineAt: 7 * minute },
  },
  {
    title: 'v3 5.7: reminders go on while a confirmed incident cannot be judged',
    events: [held(2 * minute), unknown(3 * minute), remind(4 * hour + 2 * minute)],
    state: 'problem',
    told: ['problem', 'reminder'],
  },
  {
    title: 'v3 5.3: effective_at moves from problem to no data inside a confirmed incident',
    events: [held(2 * minute), silent(5 * minute)],
    state: 'noData',
    told: ['problem'],
    context: { effectiveAt: 5 * minute },
  },
]

t.test('incident has the states, records and messages of the table (reference/incidents 2.1)', t => {
  for (const { title, given, events, state, told, context } of [...cases, ...loudCases, ...flappingCases]) {
    const walked = walk(events, input(given))
    t.equal(walked.state, state, `${title}: state`)
    t.strictSame(walked.told, told, `${title}: what is told`)
    if (context) t.match(walked.context, context, `${title}: context`)
  }
  t.end()
})

t.test('closed incident ignores every event and leaves no record', t => {
  const closing = [held(2 * minute), ok(5 * minute), recovered(7 * minute)]
  const late: IncidentEvent[] = [
    acknowledge(8 * minute),
    { type: 'policy.replaced', at: 8 * minute, confirmAfterMs: 0, closeAfterMs: 0 },
    { type: 'rule.removed', at: 8 * minute },
    { type: 'subject.archived', at: 8 * minute },
  ]
  for (const event of late) t.strictSame(walk([...closing, event]), walk(closing), event.type)
  t.end()
})

t.test('event that changes the state of an incident leaves a record', t => {
  const walked = walk([ok(minute), bad(2 * minute), held(4 * minute), silent(5 * minute), ok(6 * minute), recovered(8 * minute)])
  t.strictSame(walked.recorded, ['recovering', 'pending', 'problem', 'no data', 'recovering', 'closed'])
  t.end()
})

t.test('incident keeps deadlines and instants that agree with its state on every path', t => {
  const events: IncidentEvent[] = [
    bad(minute),
    silent(minute),
    ok(minute),
    held(minute),
    recovered(minute),
    remind(minute),
    acknowledge(minute),
    mutedHeld(minute),
    mutedBad(minute),
    unknown(minute),
    known(minute),
    flaps(minute),
    okUntil(minute, hour),
  ]
  const paths = getShortestPaths(incidentMachine, { input: input(), events: events as never, limit: 5_000 })
  const states = new Set<string>()
  for (const path of paths) {
    const { value, context } = path.state as unknown as { value: string; context: IncidentContext }
    states.add(value)
    const where = `${path.steps.map(step => step.event.type).join(' > ')} in ${value}`
    const isWaiting = (context.deadlineAt === null) === (context.pausedAt !== null)
    if (value === 'pending' && (!isWaiting || context.confirmedAt !== null))
      t.fail(`${where}: pending waits for its confirmation delay, unless paused`)
    if (value === 'recovering' && (context.wellSince === null || !isWaiting))
      t.fail(`${where}: recovering waits for its recovery delay, unless paused`)
    if (value === 'closed' && (context.closedAt === null || context.deadlineAt !== null))
      t.fail(`${where}: closed waits for nothing`)
    if ((value === 'problem' || value === 'noData') && context.confirmedAt === null) t.fail(`${where}: confirmed`)
    if (context.acknowledgedAt !== null && context.reminderAt !== null) t.fail(`${where}: acknowledged incident has no reminder`)
    if (context.announced !== 'nothing' && context.confirmedAt === null) t.fail(`${where}: no message before the confirmation`)
  }
  t.strictSame([...states].sort(), ['closed', 'noData', 'pending', 'problem', 'recovering'], 'every state can be reached')
  t.end()
})
