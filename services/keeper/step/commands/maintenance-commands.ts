// Commands that start, move and cancel a maintenance window (reference/custom-subjects 5). Pure.
import type { CommandOf } from '#shared/contracts/subjects/command.ts'
import type { SubjectDocument } from '#shared/contracts/subjects/subject.ts'
import { minute } from '#shared/limits/limits.ts'
import { windowView } from '#shared/subjects/subject-view.ts'
import { startWindow, tellWindow } from '../incidents/drive-window.ts'
import type { Handled, StepContext } from '../types.ts'
import { refused } from './refusal.ts'
import { shown } from './resource-commands.ts'

export function startMaintenance(subject: SubjectDocument, command: CommandOf<'start-maintenance'>, at: number): Handled {
  if (subject.maintenance !== null)
    return refused('invalid_state', 'Already in maintenance', 'A maintenance window runs already; move its end or cancel it')
  if (command.endsAt <= at) return endsInThePast
  const { endsAt, by } = command
  return answered(startWindow(subject, { at, endsAt, by }))
}

/** Moves the end of the running window, without a message. The start stays. */
export function moveMaintenance(subject: SubjectDocument, command: CommandOf<'move-maintenance'>, at: number): Handled {
  if (subject.maintenance === null) return noWindow
  if (command.endsAt <= at) return endsInThePast
  return answered(tellWindow(subject, { type: 'end.moved', at, endsAt: command.endsAt }))
}

export function cancelMaintenance(subject: SubjectDocument, at: number): Handled {
  if (subject.maintenance === null) return noWindow
  const { context } = subject.maintenance
  return {
    subject: tellWindow(subject, { type: 'window.cancelled', at }),
    result: windowView({ ...context, cancelledAt: at }),
  }
}

/** Sets a window of generation 3, which lasts `minutes` from now. A running window keeps its start and its author (v3 6.7). */
export function setMaintenance(
  subject: SubjectDocument,
  { minutes, by }: CommandOf<'set-maintenance'>,
  at: number,
  context: StepContext,
): Handled {
  const endsAt = at + minutes * minute
  const next =
    subject.maintenance === null
      ? startWindow(subject, { at, endsAt, by })
      : tellWindow(subject, { type: 'end.moved', at, endsAt })
  return shown(next, at, context)
}

export function endMaintenance(subject: SubjectDocument, at: number, context: StepContext): Handled {
  if (subject.maintenance === null) return refused('invalid_state', 'No maintenance', 'No maintenance window is running.')
  return shown(tellWindow(subject, { type: 'window.cancelled', at }), at, context)
}

const noWindow = refused('not_found', 'No maintenance window', 'No maintenance window is running')
const endsInThePast = refused('validation', 'invalid observed_at', 'ends_at must be in the future')

const answered = (subject: SubjectDocument): Handled => ({
  subject,
  result: subject.maintenance && windowView(subject.maintenance.context),
})
