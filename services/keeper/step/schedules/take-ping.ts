// Intake of a ping: what it is, whether this minute may store it, its Observation and its body. Pure. Reference: docs/reference/v3.md, 17.10
// to 17.15.
import type { PushedObservationDocument } from '#shared/contracts/observations/observation.ts'
import type { PingAction, PingTaken } from '#shared/contracts/observations/ping.ts'
import type { ScheduleState } from '#shared/contracts/observations/schedule-state.ts'
import { scheduleKind } from '#shared/contracts/resources/schedule.ts'
import type { CommandOf } from '#shared/contracts/subjects/command.ts'
import type { SignalState } from '#shared/contracts/subjects/signal.ts'
import type { CustomState, SubjectDocument } from '#shared/contracts/subjects/subject.ts'
import { limits, minute, second } from '#shared/limits/limits.ts'
import { actionOf, isHeartbeatCheck, quotesOutput } from '#shared/schedule/heartbeat-check.ts'
import { pingBodyId } from '#shared/text/ids.ts'
import { firstCharacters } from '#shared/text/plain-text.ts'
import { addToOutbox, unchanged } from '../change.ts'
import { withIdempotencyRecord } from '../commands/idempotency.ts'
import { refusal } from '../commands/refusal.ts'
import { rowOf } from '../observations/observed-row.ts'
import { stampUsOf } from '../observations/take-reports.ts'
import type { Step, StepContext } from '../types.ts'
import { runLabels } from './run-entry.ts'
import { scheduleStateOf, takeRun, withSchedule } from './take-run.ts'

type Ping = CommandOf<'ping'>
type Action = PingAction | 'ignored'

/** Takes a ping. The caller has checked that the command's id has no recorded reply, and that the Resource is not archived. */
export function takePing(subject: SubjectDocument, command: Ping, at: number, context: StepContext): Step {
  const template = subject.templated === null ? null : context.templateOf(subject)
  const isScheduled = template?.signals.some(({ key, kind }) => key === command.signal && kind === scheduleKind)
  const signal = isScheduled ? subject.custom?.signals.find(({ slug }) => slug === command.signal) : undefined
  if (template === null || signal === undefined)
    return unchanged(subject, refusal('not_found', 'Signal not found', `There is no scheduled signal ${command.signal}`))
  const action = actionIn(subject, command)
  const state = scheduleStateOf(subject, command.signal)
  const bound = boundOn(subject, state, { ...command, action }, at)
  if (bound !== null) return unchanged(subject, { ok: true, result: { taken: bound } satisfies PingTaken })
  const stampUs = stampUsOf(subject, command.id, at)
  const row = rowOfPing(subject, signal, { ...command, action }, stampUs, at)
  const counted = withSchedule(subject, command.signal, { ...state, pings: counting(state, at) })
  const effect = takeRun(counted, command.signal, template, { row, repeated: null, at, isStampedHere: true, context })
  if (effect === null) throw new Error(`a ping of ${subject.id} was taken as a repeated one`)
  const custom = { ...(effect.subject.custom as CustomState), stampedUs: stampUs }
  const stored = effect.row ?? row
  const kept = withBody({ ...effect.subject, custom }, signal, command, stored)
  const reply = { ok: true as const, result: { taken: action === 'ignored' ? 'ignored' : 'stored' } satisfies PingTaken }
  return {
    ...{ subject: withIdempotencyRecord(kept, command.id, context.now, reply), change: 'commit', observation: null },
    ...{ pushed: [stored], series: [], reply },
  }
}

function actionIn({ template, templated }: SubjectDocument, { action, method, body }: Ping): Action {
  return isHeartbeatCheck(template) ? actionOf({ action, method, text: body?.text ?? '' }, templated?.answers ?? {}) : action
}

const { storedPerMinute, refusedPerMinute } = limits.pings

/**
 * Returns how a ping is answered that this minute does not store; null: it is stored. A ping that would change anything is stored unless the
 * minute has stored very many.
 */
function boundOn(
  subject: SubjectDocument,
  state: ScheduleState,
  { action, run, signal }: Omit<Ping, 'action'> & { action: Action },
  at: number,
): 'counted' | 'refused' | null {
  const { stored } = counting(state, at)
  if (stored > refusedPerMinute) return 'refused'
  if (stored <= storedPerMinute || at - state.pings.newestAt >= second) return null
  return isWithoutEffect(subject, state, { action, run, signal }) ? 'counted' : null
}

/** Whether the ping leaves the running mark and the state of the newest end as they are. */
function isWithoutEffect(
  { templated }: SubjectDocument,
  { running }: ScheduleState,
  { action, run, signal }: Pick<Ping, 'run' | 'signal'> & { action: Action },
): boolean {
  if (action === 'log' || action === 'ignored') return true
  if (action === 'start') return false
  const clears = running !== null && (action === 'fail' || run === null || run === running.run)
  const newest = templated?.heard[signal]?.recent[0]
  return !clears && newest?.state === (action === 'success' ? 'ok' : 'problem')
}

/** Returns the stored pings of the minute with one more. */
function counting({ pings: { startsAt, stored } }: ScheduleState, at: number): ScheduleState['pings'] {
  const isSame = at >= startsAt && at - startsAt < minute
  return isSame ? { startsAt, stored: stored + 1, newestAt: at } : { startsAt: at, stored: 1, newestAt: at }
}

function rowOfPing(
  subject: SubjectDocument,
  { key, slug }: SignalState,
  { action, run, exitStatus, method, agent, from, value, reason, body }: Omit<Ping, 'action'> & { action: Action },
  stampUs: number,
  at: number,
): PushedObservationDocument {
  const isEnd = action === 'success' || action === 'fail'
  const labels = Object.entries({
    [runLabels.phase]: isEnd ? '' : action,
    [runLabels.run]: run ?? '',
    [runLabels.exitStatus]: exitStatus === null ? '' : String(exitStatus),
    [runLabels.method]: method,
    [runLabels.agent]: agent,
    [runLabels.from]: from,
  }).filter(([, text]) => text !== '')
  const state = action === 'success' ? 'ok' : action === 'fail' ? 'problem' : 'no_data'
  const said =
    reason === '' ? reasonOf(exitStatus, quotesOutput(subject.templated?.answers ?? {}) ? (body?.text ?? '') : '') : reason
  return rowOf(
    subject.id,
    key,
    {
      ...{ signal: slug, state, signalKind: null, sentId: null, value, reason: said, labels: Object.fromEntries(labels) },
      ...{ body: null, atUs: stampUs, stampUs, isStampedHere: true, source: 'ping' },
    },
    { at, aheadMs: 0 },
  )
}

/** Returns `exit status 3: <last line that is not blank>`, or one of the two. */
function reasonOf(exitStatus: number | null, text: string): string {
  const last =
    text
      .split('\n')
      .findLast(line => line.trim() !== '')
      ?.replaceAll('\t', ' ')
      .trim() ?? ''
  const status = exitStatus === null || exitStatus === 0 ? '' : `exit status ${exitStatus}`
  return firstCharacters([status, last].filter(part => part !== '').join(': '), limits.pings.reasonCharacters)
}

/** Keeps the body with the newest ones of the signal, and with the newest failure. */
function withBody(
  subject: SubjectDocument,
  { key, slug }: SignalState,
  { body }: Ping,
  { id: rowId, ok }: PushedObservationDocument,
): SubjectDocument {
  if (body === null) return subject
  const state = scheduleStateOf(subject, slug)
  const places = [state.bodies % limits.pings.bodiesKept, ...(ok === 0 ? ['problem' as const] : [])]
  const kept = places.reduce((all, place) => {
    const document = { id: pingBodyId(subject.id, key, place), rev: subject.rev + 1, subjectId: subject.id, rowId, ...body }
    return addToOutbox(all, { mode: 'advance', collection: 'pingBodies', document })
  }, subject)
  return withSchedule(kept, slug, { ...state, bodies: state.bodies + 1 })
}
