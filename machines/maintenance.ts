// Maintenance window machine (reference/custom-subjects 5). Pure. The end of a running window may move. A window ends at its end instant or
// by cancellation. A window that ends sends no message. The incident machine decides which messages a window holds back.
import { assign, setup } from 'xstate'
import type { MaintenanceContext } from '#shared/contracts/incidents/maintenance.ts'

/** Version of the machine, stored with every record. Raise the version when a transition or a context field changes its meaning. */
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
  | { type: 'end.reached'; at: number }

const machine = setup({
  types: {} as { context: MaintenanceContext; events: MaintenanceEvent; input: MaintenanceInput | undefined },
  actions: {
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
      description: 'Problems and silences are recorded. Messages about them are held back.',
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
