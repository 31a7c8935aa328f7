// Runs of a cron expression in a zone, and what is wrong with an expression. Pure but for a cache. Reference: docs/reference/v3.md, 3.24.
import { Cron } from 'croner'
import { day, minute } from '#shared/time/time-units.ts'

const charactersMax = 100
/**
 * A run must come within this time of an instant right behind a 29 February, or the expression is refused. The instant is fixed, so that an
 * expression is good or bad for ever.
 */
const withinMs = 5 * 366 * day
const firstMs = Date.UTC(2024, 2, 1)
/** Compiled expressions that are kept. Compiling costs as much as finding a run. */
const compiledMax = 500

const compiled = new Map<string, Cron>()

/**
 * Returns the first run after `afterMs`, ms since the epoch; null: none comes. `expression` has five fields. A run in an hour that a change
 * of the clock skips is at the first instant after it; a daily one in a repeated hour runs once. A zone that this machine does not know
 * counts as UTC, because the zone was known where it was taken.
 */
export function nextRun(expression: string, zone: string, afterMs: number): number | null {
  const cron = compile(expression, zoneFault(zone) === null ? zone : 'UTC')
  return cron.nextRun(new Date(afterMs))?.getTime() ?? null
}

function compile(expression: string, zone: string): Cron {
  const key = `${zone} ${expression}`
  const known = compiled.get(key)
  compiled.delete(key)
  const cron = known ?? new Cron(expression, { ...options, timezone: zone, domAndDow: startsWithStar(expression) })
  compiled.set(key, cron)
  const [oldest] = compiled.keys()
  if (compiled.size > compiledMax && oldest !== undefined) compiled.delete(oldest)
  return cron
}

const options = { mode: '5-part', sloppyRanges: true, paused: true } as const

/** Whether day of month and weekday must both fit: one of them begins with a star. Else one of them is enough. */
function startsWithStar(expression: string): boolean {
  const [, , dayOfMonth = '', , weekday = ''] = fieldsOf(expression)
  return dayOfMonth.startsWith('*') || weekday.startsWith('*')
}

const fieldsOf = (expression: string): string[] => expression.trim().split(/ +/)

/** Returns what is wrong with a cron expression, as the end of a sentence; null: it can be used. */
export function expressionFault(expression: string): string | null {
  if (expression.length > charactersMax) return `must have at most ${charactersMax} characters`
  if (expression.startsWith('@')) return 'must be written out in five fields: minute, hour, day of month, month, weekday'
  if (looksLikeOnCalendar.test(expression))
    return 'looks like an OnCalendar expression of systemd: write it as cron, for example 30 2 * * *'
  if (fieldsOf(expression).length !== 5)
    return 'must have five fields on one line: minute, hour, day of month, month, weekday; seconds are not taken'
  const odd = /[^0-9A-Za-z*,\-/# ]/.exec(expression)?.[0]
  if (odd !== undefined) return `must not contain '${odd}'`
  return runFault(expression)
}

const looksLikeOnCalendar = /[0-9*]:[0-9*]|[0-9*]-[0-9*]{1,2}-[0-9*]|\.\./

function runFault(expression: string): string | null {
  try {
    const next = nextRun(expression, 'UTC', firstMs)
    return next === null || next > firstMs + withinMs ? 'has no run within the next five years' : null
  } catch {
    return 'is no cron expression: see its five fields, for example 30 2 * * 1-5'
  }
}

const zones = new Map<string, string | null>()

/** Returns what is wrong with the name of a time zone, as the end of a sentence; null: it can be used. */
export function zoneFault(zone: string): string | null {
  const known = zones.get(zone)
  if (known !== undefined) return known
  const fault = findZoneFault(zone)
  if (zones.size < compiledMax) zones.set(zone, fault)
  return fault
}

function findZoneFault(zone: string): string | null {
  const fault = 'must be the name of a time zone, for example Europe/Berlin'
  if (/^[+-]|[^A-Za-z0-9_+\-/]/.test(zone)) return fault
  try {
    new Intl.DateTimeFormat('en', { timeZone: zone })
    return null
  } catch {
    return fault
  }
}

/** An end may come this much before its run, and is its end nevertheless. */
const earlyMs = minute
/** It is, if that is at most this part of the time to the run after it. */
const earlyPart = 1 / 10

/**
 * Returns the run that is expected after an end at `endMs`: the first one after it, or the second one if the end came so shortly before the
 * first that it is the end of that.
 */
export function runAfterEnd(expression: string, zone: string, endMs: number): number | null {
  const next = nextRun(expression, zone, endMs)
  if (next === null || next - endMs > earlyMs) return next
  const second = nextRun(expression, zone, next)
  return second !== null && next - endMs <= (second - next) * earlyPart ? second : next
}
