// An Observation of a scheduled signal as an end of a run, its start or a line of its log, and the labels that say which. Pure. Reference:
// docs/reference/v3.md, 17.13.
import type { PushedObservationDocument } from '#shared/contracts/observations/observation.ts'
import type { PingAction } from '#shared/contracts/observations/ping.ts'
import { isUuid } from '#shared/text/uuid.ts'
import type { Refusal } from '../commands/refusal.ts'
import { invalid } from '../commands/resource-commands.ts'
import type { StampedObservation } from '../observations/observed-row.ts'
import type { RunEntry } from './move-schedule.ts'

/** Labels of an entry. `phase` is absent of an end. */
export const runLabels = {
  phase: 'phase',
  run: 'run',
  exitStatus: 'exit_status',
  method: 'method',
  agent: 'agent',
  from: 'from',
} as const

/** Returns why a scheduled signal does not take an Observation; null: it does. */
export function runFault({ state, labels }: Pick<StampedObservation, 'state' | 'labels'>): Refusal | null {
  const { phase, run } = labels
  if (state === 'no_data' && phase !== 'start' && phase !== 'log')
    return invalid('state', "'no_data' needs the label phase 'start' or 'log' here: ok and problem are the ends of a run")
  if (state !== 'no_data' && phase !== undefined)
    return invalid('labels', "The label phase stands only with the state 'no_data', at a start or in a log")
  return run === undefined || isUuid(run) ? null : invalid('labels', 'The label run must be a UUID')
}

/** Returns whether the row is no end of a run, and so no reading. */
export const isMark = ({ ok }: Pick<PushedObservationDocument, 'ok'>): boolean => ok === 2

/** Returns the entry of a row; null: it is ignored. `atUs`: the instant at which it counts, µs. */
export function entryOf({ ok, labels: text, value }: PushedObservationDocument, atUs: number): RunEntry | null {
  const labels = text === null ? {} : (JSON.parse(text) as Record<string, string>)
  const phase = labels[runLabels.phase]
  const action: PingAction | null = ok === 1 ? 'success' : ok === 0 ? 'fail' : phase === 'start' || phase === 'log' ? phase : null
  if (action === null) return null
  const status = labels[runLabels.exitStatus]
  const exitStatus = status !== undefined && /^\d{1,3}$/.test(status) ? Number(status) : null
  return { atUs, action, run: labels[runLabels.run]?.toLowerCase() ?? null, exitStatus, seconds: value }
}
