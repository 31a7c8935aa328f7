// Runs of a scheduled signal from the Resource and from its Observation log, in words for people. Pure.
import type { MonitorDetail } from '#shared/contracts/session/session-monitor.ts'
import type { Bar } from '../charts/bars.tsx'
import { duration, instant } from '../data/format.ts'

/** An entry of the Observation log, as generation 3 writes it. */
export interface RunEntry {
  id: string
  state: string
  /** Seconds that the run took; null: not known. */
  value: number | null
  labels: Readonly<Record<string, string>>
  body: { text?: string } | null
  at: string
  reason: string | null
}

interface Schedule {
  state: 'down' | 'started' | 'late' | 'up' | 'new'
  expected_at: string | null
  missed_at: string | null
  started_at: string | null
  last: { at: string; state: string; duration_seconds: number | null; exit_status: number | null } | null
}

export interface ScheduledOf {
  key: string
  schedule: Schedule
}

/** Returns the scheduled signals of a monitor. */
export const scheduledIn = ({ resource }: Pick<MonitorDetail, 'resource'>): ScheduledOf[] =>
  ((resource['signals'] ?? []) as Partial<ScheduledOf>[]).filter((one): one is ScheduledOf => one.schedule !== undefined)

/** Returns the entries that end a run. */
export const endsOf = (entries: readonly RunEntry[]): RunEntry[] => entries.filter(({ state }) => state !== 'no_data')

/** Returns the newest output; null: none is kept, or this reader may not see it. */
export const newestOutput = (entries: readonly RunEntry[]): string | null =>
  entries.find(({ body }) => (body?.text ?? '') !== '')?.body?.text ?? null

export function barOf({ id, state, value, at, reason, labels }: RunEntry): Bar {
  const took = value === null ? '' : `took ${duration(value * 1_000)}`
  const status =
    labels['exit_status'] === undefined || reason?.startsWith('exit status') ? '' : `exit status ${labels['exit_status']}`
  const parts = [state === 'ok' ? 'succeeded' : 'failed', status, reason ?? '', took].filter(part => part !== '')
  return {
    key: `${id} ${at}`,
    look: state === 'ok' ? 'passed' : 'failed',
    words: `${instant(Date.parse(at))}: ${parts.join(', ')}`,
  }
}

/** Returns how the job stands, in a sentence. `at`: present instant, ms. */
export function standingOf({ state, expected_at, started_at, last }: Schedule, at: number): string {
  const ago = (text: string) => duration(at - Date.parse(text))
  if (state === 'new') return 'It has not reported yet.'
  if (state === 'started' && started_at !== null) return `It has been running for ${ago(started_at)}.`
  if (state === 'late' && expected_at !== null) return `It is ${ago(expected_at)} late.`
  if (state === 'up' && last !== null) {
    const took = last.duration_seconds === null ? '' : `, and took ${duration(last.duration_seconds * 1_000)}`
    return `It last ran ${ago(last.at)} ago${took}.`
  }
  if (last?.state === 'problem')
    return `Its last run failed ${ago(last.at)} ago${last.exit_status === null ? '' : `, with exit status ${last.exit_status}`}.`
  return started_at === null ? 'It did not report.' : `It started ${ago(started_at)} ago and did not finish.`
}
