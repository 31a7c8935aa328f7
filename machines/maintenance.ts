// Maintenance window machine (reference/custom-subjects 5). Pure: a window starts, its end may move, and it is cancelled or ends by time,
// without a message. The incident machine decides about messages during a window.
import { assign, setup } from 'xstate'
import type { MaintenanceContext } from '#shared/contracts/incidents/maintenance.ts'

/** Version stored with every record. Raise it when a transition or a context field changes its meaning. */
export const maintenanceVersion = 1

/** Instants in ms since the epoch. */
export interface MaintenanceInput {
  windowId: string
  at: number
  endsAt: number
  by: string
}

export type MaintenanceEvent =
  | { type: 'end.moved'; at: number; endsAt: number }
  | { type: 'window.cancelled'; at: number }
  /** The window's end is reached. */
  | { type: 'end.reached'; at: number }

const machine = setup({
  types: {} as { context: MaintenanceContext; events: MaintenanceEvent; input: MaintenanceInput | undefined },
  actions: {
    /** Moves the window's end; its start stays. */
    moveEnd: assign(({ event }) => (event.type === 'end.moved' ? { endsAt: event.endsAt, deadlineAt: event.endsAt } : {})),
    noteCancelled: assign(({ event }) => ({ cancelledAt: event.at, deadlineAt: null })),
    disarm: assign({ deadlineAt: null }),
  },
})

export const maintenanceMachine = machine.createMachine({
  id: 'maintenance',
  initial: 'running',
  context: ({ input }) => startContext(input ?? noInput),
  states: {
    running: {
      description: 'Problems and silences are recorded, and nobody is notified.',
      on: {
        'end.moved': { actions: 'moveEnd' },
        'window.cancelled': { target: 'cancelled', actions: 'noteCancelled' },
        'end.reached': { target: 'ranOut', actions: 'disarm' },
      },
    },
    ranOut: { type: 'final', description: 'Its end was reached.' },
    cancelled: { type: 'final', description: 'Ended early by a person or a key.' },
  },
})

/** Input of the actor that `transition.ts` creates for each machine and never starts. */
const noInput: MaintenanceInput = { windowId: '', at: 0, endsAt: 0, by: '' }

function startContext({ windowId, at, endsAt, by }: MaintenanceInput): MaintenanceContext {
  return { windowId, startedAt: at, endsAt, cancelledAt: null, by, deadlineAt: endsAt }
}
