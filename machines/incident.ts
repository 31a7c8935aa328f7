// Incident state machine. Pure: instants arrive in events, a timer is `deadlineAt` in the context, and its owner sends the event when it is due.
// Effects are orders that the owner carries out. Never reads a clock.
import { assign, enqueueActions, setup } from 'xstate'
import type { AcknowledgedVia, ClosedReason, HistoryKind, IncidentContext } from '#shared/contracts/incident.ts'
import type { Condition } from '#shared/contracts/verdict.ts'
import {
  type Announcement,
  holdEnd,
  type IncidentInput,
  nextReminder,
  noInput,
  openContext,
  unpaused,
} from './incident-context.ts'

/** Raised whenever a transition or a context field changes its meaning; kept with every record. */
export const incidentVersion = 5

/**
 * `muted`: a maintenance window runs, so problems and silences are not announced (spec B, Events 2); absent: none runs. `doubtful`: the
 * verdict rests on silence that is held back, so its owner sends no end of a hold yet (ADR 22).
 */
export type IncidentEvent =
  | { type: 'problem.judged'; at: number; muted?: boolean }
  | { type: 'no_data.judged'; at: number }
  | { type: 'ok.judged'; at: number; doubtful?: boolean }
  /** The confirm hold's end is reached while the rule is judged not ok. */
  | { type: 'hold.elapsed'; at: number; muted?: boolean }
  /** The close hold's end is reached while the rule is judged ok. */
  | { type: 'recovery.elapsed'; at: number }
  /** The rule of a Template can no longer decide: the running hold stands still (v3 4.7). */
  | { type: 'unknown.judged'; at: number }
  /** It decides again, and as before: the hold goes on from where it stood. */
  | { type: 'known.judged'; at: number }
  | { type: 'reminder.due'; at: number; muted?: boolean }
  /** A reminder whose instant passed unseen: skipped to the next, never replayed. */
  | { type: 'reminder.missed'; at: number }
  | { type: 'incident.acknowledged'; at: number; by: string; via: AcknowledgedVia }
  | { type: 'policy.replaced'; at: number; confirmAfterMs: number; closeAfterMs: number; doubtful?: boolean }
  | { type: 'rule.removed'; at: number }
  | { type: 'subject.archived'; at: number }

const machine = setup({
  types: {} as { context: IncidentContext; events: IncidentEvent; input: IncidentInput | undefined },
  guards: {
    /** A closed incident takes no event, not even those that every state has. */
    isOpen: ({ context }) => context.closedAt === null,
    isToBeTakenOn: ({ context }) => context.closedAt === null && context.acknowledgedAt === null,
    isProblem: ({ context }) => context.condition === 'problem',
    isConfirmed: ({ context }) => context.confirmedAt !== null,
    /** People may have heard of it: of its confirmation, or of its opening alone. */
    isAnnounced: ({ context }) => context.confirmedAt !== null || context.opening === 'announced',
    isTakenOnAloud: ({ context }) => context.closedAt === null && context.acknowledgedAt === null && context.announcesAll,
    /** One confirmed in maintenance is told at the next reminder, not sooner: turning or failing again is no news of it (spec D 1). */
    isUntoldProblem: ({ context }) => context.confirmedAt !== null && context.announced !== 'problem' && !context.problemHeld,
    isUnacknowledged: ({ context }) => context.acknowledgedAt === null,
    /** Nobody was told, because maintenance held it back, and nobody has taken note of it. */
    isUntold: ({ context }) => context.announced === 'nothing' && context.acknowledgedAt === null,
    isMuted: ({ event }) => isMuted(event),
    isHoldRunning: ({ context }) => context.pausedAt === null,
    isHoldPaused: ({ context }) => context.pausedAt !== null,
  },
  actions: {
    record: (_, _params: { kind: HistoryKind }) => {},
    announce: (_, _params: Announcement) => {},
    /** The hold counts continuous non-ok time: it starts over when ok came between. */
    beginTrouble: assign(({ context, event }) => {
      const badSince = context.badSince ?? event.at
      const deadlineAt = context.confirmedAt === null ? badSince + context.confirmAfterMs : null
      return { badSince, wellSince: null, deadlineAt, ...unpaused }
    }),
    turnCondition: assign(({ event }, params: { condition: Condition }) => ({
      condition: params.condition,
      effectiveAt: event.at,
    })),
    pauseHold: assign(({ event }) => ({ pausedAt: event.at, deadlineAt: null })),
    resumeHold: assign(({ context, event }) => {
      if (context.pausedAt === null) return {}
      const resumed = { ...context, pausedAt: null, pausedMs: context.pausedMs + event.at - context.pausedAt }
      return { pausedAt: null, pausedMs: resumed.pausedMs, deadlineAt: holdEnd(resumed) }
    }),
    beginRecovery: assign(({ context, event }) => ({
      condition: 'ok' as const,
      badSince: null,
      wellSince: event.at,
      effectiveAt: event.at,
      reminderAt: null,
      deadlineAt: event.at + context.closeAfterMs,
      ...unpaused,
    })),
    /** Backdated to the hold's exact end, however late its owner came to it. */
    confirm: assign(({ context }) => {
      const confirmedAt = holdEnd(context)
      return { confirmedAt, effectiveAt: confirmedAt }
    }),
    noteTold: assign(({ context, event }, { announced }: { announced: 'problem' | 'no_data' }) => {
      if (!isMuted(event)) return { announced, problemHeld: false }
      return { problemHeld: announced === 'problem' && context.announced === 'nothing' }
    }),
    armReminder: assign(({ context, event }) => {
      const reminderAt = nextReminder(context, event.at)
      return { reminderAt, deadlineAt: reminderAt }
    }),
    /** A silence is not reminded of; one that nobody was told of because of maintenance is told at the next reminder's instant. */
    armUntold: assign(({ context, event }) => {
      const reminderAt = context.announced === 'nothing' ? nextReminder(context, event.at) : null
      return { reminderAt, deadlineAt: reminderAt }
    }),
    noteAcknowledgement: assign(({ context, event }) =>
      event.type === 'incident.acknowledged'
        ? {
            acknowledgedAt: event.at,
            acknowledgedBy: event.by,
            acknowledgedVia: event.via,
            reminderAt: null,
            deadlineAt: context.reminderAt === null ? context.deadlineAt : null,
          }
        : {},
    ),
    adoptHolds: assign(({ context, event }) => {
      if (event.type !== 'policy.replaced') return {}
      const { confirmAfterMs, closeAfterMs } = event
      const isHeld = context.wellSince !== null || context.confirmedAt === null
      if (!isHeld || context.pausedAt !== null) return { confirmAfterMs, closeAfterMs }
      return { confirmAfterMs, closeAfterMs, deadlineAt: holdEnd({ ...context, confirmAfterMs, closeAfterMs }) }
    }),
    close: assign(({ context, event }, params: { reason: ClosedReason }) => {
      const closedAt = params.reason === 'recovered' ? (context.wellSince ?? event.at) : event.at
      return { closedAt, closedReason: params.reason, effectiveAt: closedAt, reminderAt: null, deadlineAt: null, ...unpaused }
    }),
  },
})

/** While a hold runs, its rule may stop and begin to decide; a confirmed incident has no hold that could stand still. */
const holdEvents = {
  'unknown.judged': {
    guard: 'isHoldRunning',
    actions: ['pauseHold', { type: 'record', params: { kind: 'hold paused' } }],
  },
  'known.judged': {
    guard: 'isHoldPaused',
    actions: ['resumeHold', { type: 'record', params: { kind: 'hold resumed' } }],
  },
} as const

/** By a command: announced to nobody. */
const closedBy = (reason: ClosedReason) =>
  ({
    guard: 'isOpen',
    target: '.closed',
    actions: [
      { type: 'close', params: { reason } },
      { type: 'record', params: { kind: 'closed' } },
    ],
  }) as const

export const incidentMachine = machine.createMachine({
  id: 'incident',
  initial: 'pending',
  context: ({ input }) => openContext(input ?? noInput),
  entry: enqueueActions(({ context, enqueue }) => {
    const { opening } = context
    if (opening === 'silent') return
    enqueue({ type: 'announce', params: { kind: 'opened', reminder: false, held: opening === 'held' } })
  }),
  on: {
    'incident.acknowledged': [
      {
        guard: 'isTakenOnAloud',
        actions: [
          'noteAcknowledgement',
          { type: 'record', params: { kind: 'acknowledged' } },
          { type: 'announce', params: { kind: 'acknowledged', reminder: false, held: false } },
        ],
      },
      {
        guard: 'isToBeTakenOn',
        actions: ['noteAcknowledgement', { type: 'record', params: { kind: 'acknowledged' } }],
      },
    ],
    'policy.replaced': { guard: 'isOpen', actions: ['adoptHolds', { type: 'record', params: { kind: 'policy replaced' } }] },
    'rule.removed': closedBy('rule_removed'),
    'subject.archived': closedBy('resource_archived'),
  },
  states: {
    /** Not ok, inside the confirm hold; nobody is told. */
    pending: {
      on: {
        ...holdEvents,
        'problem.judged': {
          actions: [
            { type: 'turnCondition', params: { condition: 'problem' } },
            'resumeHold',
            { type: 'record', params: { kind: 'pending' } },
          ],
        },
        'no_data.judged': {
          actions: [
            { type: 'turnCondition', params: { condition: 'no_data' } },
            'resumeHold',
            { type: 'record', params: { kind: 'pending' } },
          ],
        },
        'ok.judged': { target: 'recovering', actions: ['beginRecovery', { type: 'record', params: { kind: 'recovering' } }] },
        'hold.elapsed': [
          {
            guard: 'isProblem',
            target: 'problem',
            actions: [
              'confirm',
              { type: 'noteTold', params: { announced: 'problem' } },
              'armReminder',
              { type: 'record', params: { kind: 'problem' } },
              { type: 'announce', params: ({ event }) => ({ kind: 'problem', reminder: false, held: isMuted(event) }) },
            ],
          },
          {
            target: 'noData',
            actions: [
              'confirm',
              { type: 'noteTold', params: { announced: 'no_data' } },
              'armUntold',
              { type: 'record', params: { kind: 'no data' } },
              { type: 'announce', params: ({ event }) => ({ kind: 'no_data', reminder: false, held: isMuted(event) }) },
            ],
          },
        ],
      },
    },
    /** Confirmed and failing; reminders every four hours until acknowledged. */
    problem: {
      on: {
        'no_data.judged': {
          target: 'noData',
          actions: [
            { type: 'turnCondition', params: { condition: 'no_data' } },
            'armUntold',
            { type: 'record', params: { kind: 'no data' } },
          ],
        },
        'ok.judged': { target: 'recovering', actions: ['beginRecovery', { type: 'record', params: { kind: 'recovering' } }] },
        'reminder.due': [
          { guard: 'isMuted', actions: ['armReminder', { type: 'record', params: { kind: 'reminder missed' } }] },
          {
            guard: 'isUnacknowledged',
            actions: [
              {
                type: 'announce',
                params: ({ context }) => ({ kind: 'problem', reminder: context.announced === 'problem', held: false }),
              },
              { type: 'noteTold', params: { announced: 'problem' } },
              'armReminder',
              { type: 'record', params: { kind: 'reminder' } },
            ],
          },
        ],
        'reminder.missed': { actions: ['armReminder', { type: 'record', params: { kind: 'reminder missed' } }] },
      },
    },
    /** Confirmed, and nothing usable arrives. */
    noData: {
      on: {
        'reminder.due': [
          { guard: 'isMuted', actions: ['armUntold', { type: 'record', params: { kind: 'reminder missed' } }] },
          {
            guard: 'isUntold',
            actions: [
              { type: 'announce', params: { kind: 'no_data', reminder: false, held: false } },
              { type: 'noteTold', params: { announced: 'no_data' } },
              'armUntold',
              { type: 'record', params: { kind: 'reminder' } },
            ],
          },
        ],
        'reminder.missed': { actions: ['armUntold', { type: 'record', params: { kind: 'reminder missed' } }] },
        'problem.judged': [
          {
            guard: 'isUntoldProblem',
            target: 'problem',
            actions: [
              { type: 'turnCondition', params: { condition: 'problem' } },
              { type: 'noteTold', params: { announced: 'problem' } },
              'armReminder',
              { type: 'record', params: { kind: 'problem' } },
              { type: 'announce', params: ({ event }) => ({ kind: 'problem', reminder: false, held: isMuted(event) }) },
            ],
          },
          {
            target: 'problem',
            actions: [
              { type: 'turnCondition', params: { condition: 'problem' } },
              'armReminder',
              { type: 'record', params: { kind: 'problem' } },
            ],
          },
        ],
        'ok.judged': { target: 'recovering', actions: ['beginRecovery', { type: 'record', params: { kind: 'recovering' } }] },
      },
    },
    /** Ok again while still open; back to its word when it fails once more. */
    recovering: {
      on: {
        ...holdEvents,
        'problem.judged': [
          {
            guard: 'isUntoldProblem',
            target: 'problem',
            actions: [
              { type: 'turnCondition', params: { condition: 'problem' } },
              'beginTrouble',
              { type: 'noteTold', params: { announced: 'problem' } },
              'armReminder',
              { type: 'record', params: { kind: 'problem' } },
              { type: 'announce', params: ({ event }) => ({ kind: 'problem', reminder: false, held: isMuted(event) }) },
            ],
          },
          {
            guard: 'isConfirmed',
            target: 'problem',
            actions: [
              { type: 'turnCondition', params: { condition: 'problem' } },
              'beginTrouble',
              'armReminder',
              { type: 'record', params: { kind: 'problem' } },
            ],
          },
          {
            target: 'pending',
            actions: [
              { type: 'turnCondition', params: { condition: 'problem' } },
              'beginTrouble',
              { type: 'record', params: { kind: 'pending' } },
            ],
          },
        ],
        'no_data.judged': [
          {
            guard: 'isConfirmed',
            target: 'noData',
            actions: [
              { type: 'turnCondition', params: { condition: 'no_data' } },
              'beginTrouble',
              'armUntold',
              { type: 'record', params: { kind: 'no data' } },
            ],
          },
          {
            target: 'pending',
            actions: [
              { type: 'turnCondition', params: { condition: 'no_data' } },
              'beginTrouble',
              { type: 'record', params: { kind: 'pending' } },
            ],
          },
        ],
        'recovery.elapsed': [
          {
            guard: 'isAnnounced',
            target: 'closed',
            actions: [
              { type: 'close', params: { reason: 'recovered' } },
              { type: 'record', params: { kind: 'closed' } },
              { type: 'announce', params: { kind: 'recovery', reminder: false, held: false } },
            ],
          },
          {
            target: 'closed',
            actions: [
              { type: 'close', params: { reason: 'recovered' } },
              { type: 'record', params: { kind: 'closed' } },
            ],
          },
        ],
      },
    },
    closed: { type: 'final' },
  },
})

const isMuted = (event: IncidentEvent): boolean => 'muted' in event && event.muted === true
