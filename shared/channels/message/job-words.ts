// Texts of messages about a job that must have run. Pure. Reference: docs/reference/v3.md, 17.14.
import type { AlertDocument, AlertKind, JobFacts } from '#shared/contracts/incidents/alert.ts'
import { limits, second } from '#shared/limits/limits.ts'
import { humanDuration } from '#shared/time/durations.ts'
import { oneLine } from './one-line.ts'

/** `name`: what the job is called, safe for the far end. */
export function jobTitle(name: string, kind: AlertKind, { state }: JobFacts, ruleKey: string): string {
  if (kind === 'opened') return `${name}: ${ruleKey} opened`
  if (kind === 'no_data') return `${name} — no data`
  return `${name} ${verbs[kind === 'recovery' && state !== 'reports' ? 'anew' : state]}`
}

const verbs: Record<JobFacts['state'], string> = {
  missed: 'did not report',
  unfinished: 'did not finish',
  failed: 'failed',
  reports: 'reports again',
  anew: 'is expected anew',
}

/** Returns what became of the run, what it wrote, and the last one that went well. `guard` makes text from outside safe for the far end. */
export function jobLinesOf(job: JobFacts, { kind, decidedAt }: AlertDocument, guard: (text: string) => string): string[] {
  const { state, success, line } = job
  const isOver = kind === 'recovery' || kind === 'withdrawn'
  const output =
    line === null || isOver || state === 'missed'
      ? []
      : [`\`${guard(oneLine(line, limits.notifier.errorCharacters)).replaceAll('`', "'")}\``]
  const last = success === null || isOver ? [] : [lastSuccess(success, decidedAt)]
  return [runLine(job, decidedAt), ...output, ...last].filter(text => text !== '')
}

function runLine({ state, expectedAt, startedAt, zone, graceMs, exitStatus }: JobFacts, decidedAt: number): string {
  const expected = expectedAt === null ? null : instantIn(zone, expectedAt, decidedAt)
  if (state === 'missed') return `Expected at ${expected}, ${humanDuration(graceMs)} of grace.`
  if (state === 'unfinished' && startedAt !== null)
    return `Started at ${clockIn('UTC', startedAt, true)} UTC, not ended for ${humanDuration(decidedAt - startedAt)}.`
  if (state === 'failed') return exitStatus === null ? 'It reported a failure.' : `Exit status ${exitStatus}.`
  return expected === null ? '' : `The next run is expected at ${expected}.`
}

function lastSuccess({ at, seconds }: NonNullable<JobFacts['success']>, decidedAt: number): string {
  const took = seconds === null ? '' : `, it took ${humanDuration(Math.max(second, Math.round(seconds) * second))}`
  return `Last success ${humanDuration(Math.max(0, decidedAt - at))} ago${took}.`
}

/** Returns an instant as `02:30 Europe/Berlin (00:30 UTC)`, with its date if it is on another day than the message. */
function instantIn(zone: string, at: number, decidedAt: number): string {
  const isSameDay = dayIn(zone, at) === dayIn(zone, decidedAt)
  const there = `${isSameDay ? '' : `${dayIn(zone, at)} `}${clockIn(zone, at)} ${zone}`
  return zone === 'UTC' ? there : `${there} (${clockIn('UTC', at)} UTC)`
}

const dayIn = (zone: string, at: number): string => partsIn(zone, at).slice(0, 'yyyy-mm-dd'.length)

const clockIn = (zone: string, at: number, hasSeconds = false): string =>
  partsIn(zone, at).slice('yyyy-mm-dd '.length, hasSeconds ? undefined : -':ss'.length)

/** Returns `2026-10-05 02:30:00`, the clock of the zone. A zone that this machine does not know counts as UTC. */
function partsIn(zone: string, at: number): string {
  try {
    return new Date(at).toLocaleString('sv-SE', { timeZone: zone })
  } catch {
    return new Date(at).toISOString().slice(0, -'.000Z'.length).replace('T', ' ')
  }
}
