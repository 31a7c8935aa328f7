// The schedule of a signal with the answers of one monitor, and the runs that it expects. Pure. The server decides; this shows the same.
import type { SentSignal } from '#shared/contracts/resources/sent-template.ts'
import { expressionFault, nextRun, zoneFault } from '#shared/schedule/next-run.ts'

const second = 1_000

/** `cron` empty: runs come every `periodSeconds`. */
export interface ExpectedRuns {
  cron: string
  zone: string
  periodSeconds: number | null
}

type Answer = (field: string) => unknown

/** `answerTo`: returns the answer to a field, also one that was just typed; undefined: there is none. */
export function expectedRunsOf({ schedule }: Pick<SentSignal, 'schedule'>, answerTo: Answer): ExpectedRuns | null {
  if (schedule === undefined) return null
  const answerIn = (stated: unknown) =>
    typeof stated === 'object' && stated !== null && 'meta' in stated ? answerTo(String(stated.meta)) : stated
  const period = Number(answerIn(schedule.period_seconds) || Number.NaN)
  return {
    cron: String(answerIn(schedule.cron) ?? '').trim(),
    zone: String(answerIn(schedule.zone) ?? '').trim() || 'UTC',
    periodSeconds: Number.isFinite(period) ? period : null,
  }
}

/** Returns the next `count` runs after `from`, ms, or the sentence that says why there are none. `from` is the newest end, or now. */
export function nextRuns({ cron, zone, periodSeconds }: ExpectedRuns, from: number, count: number): number[] | string {
  if (cron === '')
    return periodSeconds === null ? [] : Array.from({ length: count }, (_, i) => from + (i + 1) * periodSeconds * second)
  const fault = expressionFault(cron)
  if (fault !== null) return `The expression ${fault}.`
  const lack = zoneFault(zone)
  if (lack !== null) return `The zone ${lack}.`
  const runs: number[] = []
  for (let at: number | null = from; at !== null && runs.length < count; ) {
    at = nextRun(cron, zone, at)
    if (at !== null) runs.push(at)
  }
  return runs
}

/** Returns a run on the clock of its zone, and in UTC: `Mon 5 Oct 02:30 Europe/Berlin, 00:30 UTC`. */
export function runIn(zone: string, at: number): string {
  const there = wallClock(zone, at, { weekday: 'short', day: 'numeric', month: 'short' })
  return zone === 'UTC' ? `${there} UTC` : `${there} ${zone}, ${wallClock('UTC', at)} UTC`
}

const wallClock = (timeZone: string, at: number, day: Intl.DateTimeFormatOptions = {}): string =>
  new Date(at)
    .toLocaleString('en-GB', { ...day, timeZone, hour: '2-digit', minute: '2-digit', hourCycle: 'h23' })
    .replaceAll(',', '')
