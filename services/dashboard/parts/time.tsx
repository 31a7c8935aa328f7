// Instants, durations and countdowns. Times are shown in the visitor's zone. The tooltip and copied texts have UTC.
import { now } from '../data/clock.ts'
import { clockTime, countdown, duration, instant, utc } from '../data/format.ts'

/** `isLong`: with its day. */
export function Time({ at, isLong = false }: { at: number; isLong?: boolean }) {
  return (
    <time dateTime={utc(at)} title={utc(at)}>
      {isLong ? instant(at) : clockTime(at)}
    </time>
  )
}

/** Time since `at`, drawn again each second. */
export function Since({ at }: { at: number }) {
  return (
    <time dateTime={utc(at)} title={`since ${utc(at)}`}>
      {duration(now.value - at)}
    </time>
  )
}

/** The time left until `at` on the server's clock, drawn again each second. Screen readers read the text only when they reach it. */
export function Countdown({ at }: { at: number }) {
  return (
    <time class="countdown" dateTime={utc(at)} title={utc(at)}>
      {countdown(at - now.value)}
    </time>
  )
}
