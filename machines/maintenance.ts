// A maintenance window (spec B, Maintenance window; D 1, Maintenance). Pure: it starts running, its end may be moved, and it is cancelled
// or runs out, silently. What is told meanwhile is the incident's affair.
import { assign, setup } from 'xstate'
import type { MaintenanceContext } from '#shared/contracts/maintenance.ts'

/** Raised whenever a transition or a context field changes its meaning; kept with every record. */
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
    /** The same window: its start stays. */
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
      on: {
        'end.moved': { actions: 'moveEnd' },
        'window.cancelled': { target: 'cancelled', actions: 'noteCancelled' },
        'end.reached': { target: 'ranOut', actions: 'disarm' },
      },
    },
    ranOut: { type: 'final' },
    cancelled: { type: 'final' },
  },
})

/** Of the actor without input that `transition.ts` makes of each machine and nobody starts. */
const noInput: MaintenanceInput = { windowId: '', at: 0, endsAt: 0, by: '' }

function startContext({ windowId, at, endsAt, by }: MaintenanceInput): MaintenanceContext {
  return { windowId, startedAt: at, endsAt, cancelledAt: null, by, deadlineAt: endsAt }
}
