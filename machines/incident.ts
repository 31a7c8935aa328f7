// Incident state machine of reference/incidents 2. Pure: events contain all instants. The context contains `deadlineAt` in place of a
// timer. The machine's owner sends timed events when they are due, and carries out the orders `record` and `announce`. Never reads a clock.
import { assign, enqueueActions, setup } from 'xstate'
import type { AlertKind } from '#shared/contracts/incidents/alert.ts'
import type { ClosedReason, HistoryKind, IncidentContext } from '#shared/contracts/incidents/incident.ts'
import type { Condition } from '#shared/contracts/subjects/verdict.ts'
import type { Announcement, IncidentEvent, IncidentInput } from './incident-types.ts'

/**
 * Version of the machine, stored in each snapshot and record. Raise the version when a transition or a context field changes its meaning.
 */
export const incidentVersion = 6

const machine = setup({
  types: {} as { context: IncidentContext; events: IncidentEvent; input: IncidentInput | undefined },
  guards: {
    /** A closed incident accepts no event, not even an event that the machine accepts in all states. */
    isOpen: ({ context }) => context.closedAt === null,
    isUnacknowledged: ({ context }) => context.closedAt === null && context.acknowledgedAt === null,
    /** True if somebody may have been notified of the incident, so that its acknowledgement is announced. */
    isUnacknowledgedAndHeard: ({ context }) =>
      context.closedAt === null && context.acknowledgedAt === null && (context.announcesAll || context.announced !== 'nothing'),
    isOpenAndTold: ({ context }) => context.closedAt === null && context.announced !== 'nothing',
    isProblem: ({ context }) => context.condition === 'problem',
    isConfirmed: ({ context }) => context.confirmedAt !== null,
    isUnconfirmed: ({ context }) => context.confirmedAt === null,
    /** True if the incident is confirmed, or its opening was announced. */
    isAnnounced: ({ context }) => context.confirmedAt !== null || context.opening === 'announced',
    /**
     * If maintenance held back the message about a problem, the problem is announced at the next reminder, not at an earlier change
     * (reference/messages 2.6).
     */
    isUnannouncedProblem: ({ context }) =>
      context.confirmedAt !== null && context.announced !== 'problem' && !context.problemHeld,
    /** True if no problem or silence of the incident was announced, because of maintenance, and no person has acknowledged the incident. */
    isUnannounced: ({ context }) => context.announced === 'nothing' && context.acknowledgedAt === null,
    isMuted: ({ event }) => isMuted(event),
    isDelayRunning: ({ context }) => context.pausedAt === null,
    isDelayPaused: ({ context }) => context.pausedAt !== null,
  },
  actions: {
    record: (_, _params: { kind: HistoryKind }) => {},
    announce: (_, _params: Announcement) => {},
    /** The confirmation delay must pass without a verdict ok. After a verdict ok, the next problem or silence begins a new delay. */
    beginTrouble: assign(({ context, event }) => {
      const badSince = context.badSince ?? event.at
      const deadlineAt = context.confirmedAt === null ? badSince + context.confirmAfterMs : null
      return { badSince, wellSince: null, deadlineAt, ...unpaused }
    }),
    setCondition: assign(({ event }, { condition }: { condition: Condition }) => ({ condition, effectiveAt: event.at })),
    pauseDelay: assign(({ event }) => ({ pausedAt: event.at, deadlineAt: null })),
    resumeDelay: assign(({ context, event }) => {
      if (context.pausedAt === null) return {}
      const pausedMs = context.pausedMs + event.at - context.pausedAt
      return { pausedAt: null, pausedMs, deadlineAt: delayEnd({ ...context, pausedMs }) }
    }),
    beginRecovery: assign(({ context, event }) => {
      const flapsUntil = event.type === 'ok.judged' && event.flapsUntil !== undefined ? { flapsUntil: event.flapsUntil } : {}
      const since = { badSince: null, wellSince: event.at, effectiveAt: event.at, ...unpaused, ...flapsUntil }
      return { condition: 'ok', ...since, reminderAt: null, deadlineAt: delayEnd({ ...context, ...since }) }
    }),
    /**
     * The instant of the confirmation is the exact end of the delay, even if the machine's owner sends the event late. Flapping confirms at
     * the change that makes its count full.
     */
    confirm: assign(({ context, event }) => {
      const confirmedAt = event.type === 'flapping.counted' ? event.at : delayEnd(context)
      return { confirmedAt, effectiveAt: confirmedAt }
    }),
    noteAnnounced: assign(({ context, event }, { condition }: { condition: Trouble }) => {
      if (!isMuted(event)) return { announced: condition, problemHeld: false }
      return { problemHeld: condition === 'problem' && context.announced === 'nothing' }
    }),
    armReminder: assign(({ context, event }) => remindAt(nextReminder(context, event.at))),
    /**
     * A no-data condition has no reminders. If maintenance held back the no-data message, the message is sent at the instant of the next
     * reminder.
     */
    armHeldMessage: assign(({ context, event }) =>
      remindAt(context.announced === 'nothing' ? nextReminder(context, event.at) : null),
    ),
    noteAcknowledgement: assign(({ context, event }) => {
      if (event.type !== 'incident.acknowledged') return {}
      const acknowledgement = { acknowledgedAt: event.at, acknowledgedBy: event.by, acknowledgedVia: event.via }
      return { ...acknowledgement, reminderAt: null, deadlineAt: context.reminderAt === null ? context.deadlineAt : null }
    }),
    adoptDelays: assign(({ context, event }) => {
      if (event.type !== 'policy.replaced') return {}
      const { confirmAfterMs, closeAfterMs } = event
      const isDelayed = context.wellSince !== null || context.confirmedAt === null
      if (!isDelayed || context.pausedAt !== null) return { confirmAfterMs, closeAfterMs }
      return { confirmAfterMs, closeAfterMs, deadlineAt: delayEnd({ ...context, confirmAfterMs, closeAfterMs }) }
    }),
    close: assign(({ context, event }, { reason }: { reason: ClosedReason }) => {
      const closedAt = reason === 'recovered' ? (context.wellSince ?? event.at) : event.at
      return { closedAt, closedReason: reason, effectiveAt: closedAt, reminderAt: null, deadlineAt: null, ...unpaused }
    }),
  },
})

type Trouble = 'problem' | 'no_data'

const record = (kind: HistoryKind) => ({ type: 'record', params: { kind } }) as const
const announce = (kind: AlertKind) => ({ type: 'announce', params: { kind, reminder: false, held: false } }) as const
const announceUnlessMuted = (kind: Trouble) =>
  ({
    type: 'announce',
    params: ({ event }: { event: IncidentEvent }) => ({ kind, reminder: false, held: isMuted(event) }),
  }) as const
const setCondition = (condition: Condition) => ({ type: 'setCondition', params: { condition } }) as const
const noteAnnounced = (condition: Trouble) => ({ type: 'noteAnnounced', params: { condition } }) as const
const closeAs = (reason: ClosedReason) => ({ type: 'close', params: { reason } }) as const

/**
 * Effects when the condition of a confirmed incident changes. `target`: the new state. `arm`: the action that plans the next reminder.
 * `recorded`: the order to write a record of the change.
 */
const confirmed = {
  problem: { target: 'problem', arm: 'armReminder', recorded: record('problem') },
  no_data: { target: 'noData', arm: 'armHeldMessage', recorded: record('no data') },
} as const

/** Confirms the incident, then records and announces the confirmation. */
const confirmAs = (condition: Trouble) => {
  const { target, arm, recorded } = confirmed[condition]
  return { target, actions: ['confirm', noteAnnounced(condition), arm, recorded, announceUnlessMuted(condition)] } as const
}

/** Confirms an incident as a problem at a change to ok. The recovery that this change began goes on, so no reminder is planned. */
const confirmWhileOk = {
  actions: ['confirm', noteAnnounced('problem'), record('problem'), announceUnlessMuted('problem')],
} as const

/** Changes the condition of a confirmed incident and records the change. */
const turnTo = (condition: Trouble, ...first: 'beginTrouble'[]) => {
  const { target, arm, recorded } = confirmed[condition]
  return { target, actions: [setCondition(condition), ...first, arm, recorded] } as const
}

/**
 * Changes the condition of a confirmed incident to problem, if no problem of the incident was announced before. Records and announces the
 * change.
 */
const turnToUnannouncedProblem = (...first: 'beginTrouble'[]) => {
  const announced = [noteAnnounced('problem'), 'armReminder', record('problem'), announceUnlessMuted('problem')] as const
  return { guard: 'isUnannouncedProblem', target: 'problem', actions: [setCondition('problem'), ...first, ...announced] } as const
}

/** Restarts the confirmation delay, and records the restart. */
const relapse = (condition: Trouble) =>
  ({ target: 'pending', actions: [setCondition(condition), 'beginTrouble', record('pending')] }) as const

/** Records a verdict during the confirmation delay. */
const stayPending = (condition: Trouble) => ({ actions: [setCondition(condition), 'resumeDelay', record('pending')] }) as const

const recover = { target: 'recovering', actions: ['beginRecovery', record('recovering')] } as const

const missReminder = (arm: 'armReminder' | 'armHeldMessage') => ({ actions: [arm, record('reminder missed')] }) as const

/** Pause and resumption of the running delay. A confirmed incident that is not ok has no delay to pause. */
const pausesDelay = {
  'unknown.judged': { guard: 'isDelayRunning', actions: ['pauseDelay', record('hold paused')] },
  'known.judged': { guard: 'isDelayPaused', actions: ['resumeDelay', record('hold resumed')] },
} as const

/** Closes the incident because of a command, and records the closing. Only what stays open elsewhere until it is ended is told of it. */
const closeByCommand = (reason: ClosedReason) =>
  [
    { guard: 'isOpenAndTold', target: '.closed', actions: [closeAs(reason), record('closed'), announce('withdrawn')] },
    { guard: 'isOpen', target: '.closed', actions: [closeAs(reason), record('closed')] },
  ] as const

export const incidentMachine = machine.createMachine({
  id: 'incident',
  initial: 'pending',
  context: ({ input }) => openContext(input ?? noInput),
  entry: enqueueActions(({ context: { opening }, enqueue }) => {
    if (opening !== 'silent') enqueue({ type: 'announce', params: { ...announce('opened').params, held: opening === 'held' } })
  }),
  on: {
    'incident.acknowledged': [
      {
        guard: 'isUnacknowledgedAndHeard',
        actions: ['noteAcknowledgement', record('acknowledged'), announce('acknowledged')],
      },
      { guard: 'isUnacknowledged', actions: ['noteAcknowledgement', record('acknowledged')] },
    ],
    'policy.replaced': { guard: 'isOpen', actions: ['adoptDelays', record('policy replaced')] },
    'rule.removed': closeByCommand('rule_removed'),
    'subject.archived': closeByCommand('resource_archived'),
  },
  states: {
    pending: {
      description: 'Not ok for less than the confirmation delay. Nobody is notified.',
      on: {
        ...pausesDelay,
        'problem.judged': stayPending('problem'),
        'no_data.judged': stayPending('no_data'),
        'ok.judged': recover,
        'hold.elapsed': [{ guard: 'isProblem', ...confirmAs('problem') }, confirmAs('no_data')],
        'flapping.counted': { guard: 'isProblem', ...confirmAs('problem') },
      },
    },
    problem: {
      description: 'Confirmed and failing. Reminders until acknowledged.',
      on: {
        'no_data.judged': turnTo('no_data'),
        'ok.judged': recover,
        'reminder.due': [
          { guard: 'isMuted', ...missReminder('armReminder') },
          {
            guard: 'isUnacknowledged',
            actions: [
              {
                type: 'announce',
                params: ({ context }) => ({ kind: 'problem', reminder: context.announced === 'problem', held: false }),
              },
              noteAnnounced('problem'),
              'armReminder',
              record('reminder'),
            ],
          },
        ],
        'reminder.missed': missReminder('armReminder'),
      },
    },
    noData: {
      description: 'Confirmed, and nothing usable arrives.',
      on: {
        'reminder.due': [
          { guard: 'isMuted', ...missReminder('armHeldMessage') },
          {
            guard: 'isUnannounced',
            actions: [announce('no_data'), noteAnnounced('no_data'), 'armHeldMessage', record('reminder')],
          },
        ],
        'reminder.missed': missReminder('armHeldMessage'),
        'problem.judged': [turnToUnannouncedProblem(), turnTo('problem')],
        'ok.judged': recover,
      },
    },
    recovering: {
      description: 'Ok again for less than the recovery delay.',
      on: {
        ...pausesDelay,
        'problem.judged': [
          turnToUnannouncedProblem('beginTrouble'),
          { guard: 'isConfirmed', ...turnTo('problem', 'beginTrouble') },
          relapse('problem'),
        ],
        'flapping.counted': { guard: 'isUnconfirmed', ...confirmWhileOk },
        'no_data.judged': [{ guard: 'isConfirmed', ...turnTo('no_data', 'beginTrouble') }, relapse('no_data')],
        'recovery.elapsed': [
          { guard: 'isAnnounced', target: 'closed', actions: [closeAs('recovered'), record('closed'), announce('recovery')] },
          { target: 'closed', actions: [closeAs('recovered'), record('closed')] },
        ],
      },
    },
    closed: { type: 'final', description: 'Over: recovered, or ended by a command.' },
  },
})

const isMuted = (event: IncidentEvent): boolean => 'muted' in event && event.muted === true

/** Interval of reminders, counted from the confirmation, ms (reference/messages 2.3). */
const reminderMs = 4 * 3_600_000

/** Context fields of a delay that was never paused. */
const unpaused = { pausedAt: null, pausedMs: 0 }

/** End of the running delay, ms since the epoch. Paused time does not count. */
function delayEnd(context: IncidentContext): number {
  if (context.wellSince !== null)
    return Math.max(context.wellSince + context.pausedMs + context.closeAfterMs, context.flapsUntil ?? 0)
  return (context.badSince ?? context.troubleSince) + context.pausedMs + context.confirmAfterMs
}

const remindAt = (reminderAt: number | null) => ({ reminderAt, deadlineAt: reminderAt })

/**
 * Returns the first instant after `at` at which a reminder is due. Reminders are due at fixed intervals after the confirmation. Null:
 * acknowledged.
 */
function nextReminder(context: IncidentContext, at: number): number | null {
  if (context.acknowledgedAt !== null || context.confirmedAt === null) return null
  const passed = Math.floor((at - context.confirmedAt) / reminderMs)
  return context.confirmedAt + (Math.max(0, passed) + 1) * reminderMs
}

/** Input of the actor that `transition.ts` creates for each machine and never starts. */
const noInput: IncidentInput = { incidentId: '', ruleKey: '', at: 0, condition: 'problem', confirmAfterMs: 0, closeAfterMs: 0 }

function openContext(input: IncidentInput): IncidentContext {
  return {
    incidentId: input.incidentId,
    ruleKey: input.ruleKey,
    troubleSince: input.at,
    badSince: input.at,
    condition: input.condition,
    confirmedAt: null,
    wellSince: null,
    closedAt: null,
    closedReason: null,
    confirmAfterMs: input.confirmAfterMs,
    closeAfterMs: input.closeAfterMs,
    acknowledgedAt: null,
    acknowledgedBy: null,
    acknowledgedVia: null,
    announced: 'nothing',
    problemHeld: false,
    announcesAll: input.announcesAll === true,
    opening: openingOf(input),
    ...unpaused,
    effectiveAt: input.at,
    deadlineAt: input.at + input.confirmAfterMs,
    reminderAt: null,
  }
}

/** An incident without a confirmation delay is confirmed at once, so only the confirmation is announced, not the opening. */
function openingOf({ announcesAll = false, muted = false, confirmAfterMs }: IncidentInput): IncidentContext['opening'] {
  if (!announcesAll || confirmAfterMs === 0) return 'silent'
  return muted ? 'held' : 'announced'
}
