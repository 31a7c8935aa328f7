// Instants, durations and countdowns. Times are shown in the visitor's time zone. Tooltips and copied texts contain UTC.
import { now } from '../data/clock.ts'
import { clockTime, countdown, duration, instant, utc } from '../data/format.ts'

/** `isLong`: also shows the day. */
export function Time({ at, isLong = false }: { at: number; isLong?: boolean }) {
  return (
    <time dateTime={utc(at)} title={utc(at)}>
      {isLong ? instant(at) : clockTime(at)}
    </time>
  )
}

/** The time since `at`, updated each second. */
export function Since({ at }: { at: number }) {
  return (
    <time dateTime={utc(at)} title={`since ${utc(at)}`}>
      {duration(now.value - at)}
    </time>
  )
}

/**
 * The time until `at` on the server's clock, updated each second. A screen reader does not read the updates, only the text when a person
 * moves to it.
 */
export function Countdown({ at }: { at: number }) {
  return (
    <time class="countdown" dateTime={utc(at)} title={utc(at)}>
      {countdown(at - now.value)}
    </time>
  )
}
