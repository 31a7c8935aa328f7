// Driver of a subject's maintenance machine, and the record of its window. Pure.
import { type MaintenanceEvent, type MaintenanceInput, maintenanceMachine, maintenanceVersion } from '#machines/maintenance.ts'
import { initialTransition, transition } from '#machines/transition.ts'
import type { MaintenanceSnapshot, MaintenanceStep, WindowDocument } from '#shared/contracts/incidents/maintenance.ts'
import type { SubjectDocument } from '#shared/contracts/subjects/subject.ts'
import { limits } from '#shared/limits/limits.ts'
import { addToOutbox } from '../change.ts'

/** Returns whether messages about problems and silences are held back at `at`. The window excludes its end. */
export function isMuted({ maintenance }: SubjectDocument, at: number): boolean {
  return maintenance !== null && at < maintenance.context.endsAt
}

/** Returns the end of the running window; null: no window runs. */
export const windowEndOf = ({ maintenance }: SubjectDocument): number | null => maintenance?.context.deadlineAt ?? null

/** Begins a window. The caller has checked that no window runs. */
export function startWindow(subject: SubjectDocument, { at, endsAt, by }: Omit<MaintenanceInput, 'windowId'>): SubjectDocument {
  const number = subject.windows + 1
  const input = { windowId: `${subject.id}.w${number}`, at, endsAt, by }
  const [started] = initialTransition(maintenanceMachine, input)
  return recorded({ ...subject, windows: number }, snapshotOf(started, []), { type: 'window.started', at, endsAt, by })
}

/** Sends one event to the running window. An ended window is removed from the subject; its record stays. */
export function sendToWindow(subject: SubjectDocument, event: MaintenanceEvent): SubjectDocument {
  const held = subject.maintenance
  if (held === null) return subject
  const restored = maintenanceMachine.resolveState({ value: held.value, context: held.context })
  const [moved] = transition(maintenanceMachine, restored, event)
  return recorded(subject, snapshotOf(moved, held.steps), event)
}

/** Ends a window whose end has been reached, without a message. */
export function endWindow(subject: SubjectDocument, at: number): SubjectDocument {
  const endsAt = windowEndOf(subject)
  return endsAt === null || endsAt > at ? subject : sendToWindow(subject, { type: 'end.reached', at: endsAt })
}

const snapshotOf = (
  { value, context }: Pick<MaintenanceSnapshot, 'value' | 'context'>,
  steps: MaintenanceStep[],
): MaintenanceSnapshot => ({ machine: 'maintenance', version: maintenanceVersion, value, context, steps })

/** Returns the subject with its changed window, and the window's record in the outbox. */
function recorded(subject: SubjectDocument, moved: MaintenanceSnapshot, event: MaintenanceStep['event']): SubjectDocument {
  const { windowId, startedAt, endsAt, cancelledAt, by, deadlineAt } = moved.context
  const steps = [...moved.steps, { event, state: moved.value, deadlineAt }].slice(-limits.maintenance.steps)
  const document: WindowDocument = {
    id: windowId,
    rev: subject.rev + 1,
    subjectId: subject.id,
    workspaceId: subject.workspaceId,
    state: moved.value,
    startedAt,
    endsAt,
    cancelledAt,
    by,
    steps,
  }
  const maintenance = moved.value === 'running' ? { ...moved, steps } : null
  // A command about a window causes no judgement, so the window's end is added to the subject's deadlines here.
  const dueAt = maintenance === null ? subject.dueAt : Math.min(subject.dueAt ?? Number.POSITIVE_INFINITY, endsAt)
  return addToOutbox({ ...subject, maintenance, dueAt }, { mode: 'advance', collection: 'windows', document })
}
