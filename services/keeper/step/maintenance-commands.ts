// Commands that start, move and cancel a maintenance window (spec B, Maintenance window). Pure.
import type { CommandOf } from '#shared/contracts/command.ts'
import type { SubjectDocument } from '#shared/contracts/subject.ts'
import { minute } from '#shared/limits.ts'
import { windowView } from '#shared/subject-view.ts'
import { startWindow, tellWindow } from './drive-window.ts'
import { refused } from './refusal.ts'
import { shown } from './resource-commands.ts'
import type { Obeyed, Surrounding } from './types.ts'

export function startMaintenance(subject: SubjectDocument, command: CommandOf<'start-maintenance'>, at: number): Obeyed {
  if (subject.maintenance !== null)
    return refused('invalid_state', 'Already in maintenance', 'A maintenance window runs already; move its end or cancel it')
  if (command.endsAt <= at) return endsInThePast
  const { endsAt, by } = command
  return answered(startWindow(subject, { at, endsAt, by }))
}

/** The same window: it keeps its start, and nobody is told. */
export function moveMaintenance(subject: SubjectDocument, command: CommandOf<'move-maintenance'>, at: number): Obeyed {
  if (subject.maintenance === null) return noWindow
  if (command.endsAt <= at) return endsInThePast
  return answered(tellWindow(subject, { type: 'end.moved', at, endsAt: command.endsAt }))
}

export function cancelMaintenance(subject: SubjectDocument, at: number): Obeyed {
  if (subject.maintenance === null) return noWindow
  const { context } = subject.maintenance
  return {
    subject: tellWindow(subject, { type: 'window.cancelled', at }),
    result: windowView({ ...context, cancelledAt: at }),
  }
}

/** Of generation 3: `minutes` from now on. A running window keeps its start and who began it (v3 6.7). */
export function setMaintenance(
  subject: SubjectDocument,
  { minutes, by }: CommandOf<'set-maintenance'>,
  at: number,
  surrounding: Surrounding,
): Obeyed {
  const endsAt = at + minutes * minute
  const next =
    subject.maintenance === null
      ? startWindow(subject, { at, endsAt, by })
      : tellWindow(subject, { type: 'end.moved', at, endsAt })
  return shown(next, at, surrounding)
}

export function endMaintenance(subject: SubjectDocument, at: number, surrounding: Surrounding): Obeyed {
  if (subject.maintenance === null) return refused('invalid_state', 'No maintenance', 'No maintenance window is running.')
  return shown(tellWindow(subject, { type: 'window.cancelled', at }), at, surrounding)
}

const noWindow = refused('not_found', 'No maintenance window', 'No maintenance window is running')
const endsInThePast = refused('validation', 'invalid observed_at', 'ends_at must be in the future')

const answered = (subject: SubjectDocument): Obeyed => ({
  subject,
  result: subject.maintenance && windowView(subject.maintenance.context),
})
