// Commands that start, move and cancel a maintenance window (reference/custom-subjects 5). Pure.

import type { SubjectDocument } from '#shared/contracts/subjects/subject.ts'
import { minute } from '#shared/limits/limits.ts'
import { windowView } from '#shared/subjects/subject-view.ts'
import { sendToWindow, startWindow } from '../incidents/drive-window.ts'
import type { Handled, Handler } from '../types.ts'
import { refused } from './refusal.ts'
import { shown } from './resource-commands.ts'

export const startMaintenance: Handler<'start-maintenance'> = (subject, command, at) => {
  if (subject.maintenance !== null)
    return refused('invalid_state', 'Already in maintenance', 'A maintenance window runs already; move its end or cancel it')
  if (command.endsAt <= at) return endsInThePast
  const { endsAt, by } = command
  return answered(startWindow(subject, { at, endsAt, by }))
}

/** Moves the end of the running window, without a message. The start stays. */
export const moveMaintenance: Handler<'move-maintenance'> = (subject, command, at) => {
  if (subject.maintenance === null) return noWindow
  if (command.endsAt <= at) return endsInThePast
  return answered(sendToWindow(subject, { type: 'end.moved', at, endsAt: command.endsAt }))
}

export const cancelMaintenance: Handler<'cancel-maintenance'> = (subject, _command, at) => {
  if (subject.maintenance === null) return noWindow
  const { context } = subject.maintenance
  return {
    subject: sendToWindow(subject, { type: 'window.cancelled', at }),
    result: windowView({ ...context, cancelledAt: at }),
  }
}

/** Sets a window of generation 3, which lasts `minutes` from now. A running window keeps its start and its author (v3 6.7). */
export const setMaintenance: Handler<'set-maintenance'> = (subject, { minutes, by }, at, context) => {
  const endsAt = at + minutes * minute
  const next =
    subject.maintenance === null
      ? startWindow(subject, { at, endsAt, by })
      : sendToWindow(subject, { type: 'end.moved', at, endsAt })
  return shown(next, at, context)
}

export const endMaintenance: Handler<'end-maintenance'> = (subject, _command, at, context) => {
  if (subject.maintenance === null) return refused('invalid_state', 'No maintenance', 'No maintenance window is running.')
  return shown(sendToWindow(subject, { type: 'window.cancelled', at }), at, context)
}

const noWindow = refused('not_found', 'No maintenance window', 'No maintenance window is running')
const endsInThePast = refused('validation', 'invalid observed_at', 'ends_at must be in the future')

const answered = (subject: SubjectDocument): Handled => ({
  subject,
  result: subject.maintenance && windowView(subject.maintenance.context),
})
