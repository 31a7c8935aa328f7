// State of silence that is held back after an outage, for each partition and kind of report (ADR 22). Pure: moments are passed in. Never
// knows the reason of the outage; `listening.ts` does.

import type { MissedOutages, ReportKind, SilenceNote, SilenceNotes } from '#shared/contracts/observations/silence.ts'
import { limits } from '#shared/limits/limits.ts'
import type { Clock } from '#shared/time/clock.ts'
import type { HeldSilence } from '../step/types.ts'
import { afterHearing, afterOutage, isHeldLonger } from './missed-outages.ts'
import type { Position } from './position.ts'

/** One moment on the keeper's clock and on the monotonic clock, which cannot be set, ms. */
export interface Moment {
  now: number
  monotonic: number
}

export const momentOf = (clock: Pick<Clock, 'now' | 'monotonic'>): Moment => ({ now: clock.now(), monotonic: clock.monotonic() })

export interface Hearing {
  /** Reports sent up to this moment were accepted. */
  heardAt: Moment
  /** While silence is held back, the instant up to which silence counts; null: silence is not held back. */
  heldAt: number | null
  /** Time after `heardAt` for which silence stays held back, ms, provided that all later reports are accepted. */
  leftMs: number
  /** While silence is held back, the time from the start of the first outage until `heardAt`, ms; otherwise 0. */
  sinceOutageMs: number
  /** The outages that are remembered beyond their holds; null: none. */
  missed: MissedOutages | null
  /** True after the partition was opened or an obstacle began, until reports are accepted. Buffered reports must arrive first. */
  isOpening: boolean
  /** Time for which silence is held back at least once reports are accepted, ms. Shorter after a hand-over in which no report was lost. */
  leastMs: number
}

export interface Silence extends Record<ReportKind, Hearing> {
  /** True if the lease has no notes on the time before its present holder. The notes of the checkpoint are then needed. */
  isUnknown: boolean
}

/**
 * State of silence before the present holder took the lease. The lease had no holder for `vacantMs`; `notes` is the state before this gap.
 */
export interface Precedent {
  vacantMs: number
  notes: SilenceNotes
}

export const reportKinds: readonly ReportKind[] = ['checks', 'pushed']
const { silenceHoldOffMs, silenceHoldOffMaxMs, rejoinedMs, rejoinedTimes, handOverHoldMs, deafMs } = limits.keeper
const nothing: SilenceNote = { deafMs: 0, leftMs: 0, sinceOutageMs: 0, heldAt: null }

/**
 * Returns the silence of a partition whose lease was taken at `at`. `precedent` is null if the lease has no notes. `isAlone`: the former holder
 * ran in this installation's only process, so that no gateway retried requests in between.
 */
export function silenceAfter(precedent: Precedent | null, at: Moment, isAlone: boolean): Silence {
  const { vacantMs, notes } = precedent ?? { vacantMs: 0, notes: {} }
  const hearing = (kind: ReportKind) => {
    const note = notes[kind] ?? nothing
    const isHandedOver = precedent !== null && !isAlone && vacantMs + note.deafMs <= deafMs
    return { ...hearingAfter(vacantMs, note, at), leastMs: isHandedOver ? handOverHoldMs : silenceHoldOffMs }
  }
  return { checks: hearing('checks'), pushed: hearing('pushed'), isUnknown: precedent === null }
}

function hearingAfter(vacantMs: number, note: SilenceNote, at: Moment): Hearing {
  const heardAt = before(at, vacantMs + note.deafMs)
  const heldAt = Math.min(note.heldAt ?? heardAt.now, heardAt.now)
  const { leftMs, sinceOutageMs = leftMs, missed = null } = note
  return { heardAt, heldAt, leftMs, sinceOutageMs, missed, isOpening: true, leastMs: silenceHoldOffMs }
}

/** Updates the silence of a partition that its holder reopens. */
export function reopenSilence(silence: Silence): void {
  for (const kind of reportKinds) {
    const hearing = silence[kind]
    Object.assign(hearing, { isOpening: true, heldAt: hearing.heldAt ?? hearing.heardAt.now, leastMs: silenceHoldOffMs })
  }
}

/**
 * Lets silence count only up to the checkpoint, because later reports are read again. If the lease has no notes, uses the notes of the
 * checkpoint.
 */
export function heedCheckpoint(silence: Silence, checkpoint: Position['checkpoint'], at: Moment): void {
  for (const kind of reportKinds) {
    if (silence.isUnknown && checkpoint !== null) {
      const vacantMs = Math.max(0, at.now - checkpoint.writtenAt)
      Object.assign(silence[kind], hearingAfter(vacantMs, checkpoint.silence?.[kind] ?? nothing, at))
    }
    const { heldAt } = silence[kind]
    silence[kind].heldAt = Math.min(heldAt ?? at.now, checkpoint?.writtenAt ?? Number.NEGATIVE_INFINITY)
  }
  silence.isUnknown = false
}

/** Records that reports are accepted at `at`. Returns the time for which no report was accepted, ms; 0: no interruption. */
export function hear(hearing: Hearing, at: Moment): number {
  const { heardAt, isOpening } = hearing
  const passedMs = passedBetween(heardAt, at)
  const lostMs = passedMs > deafMs ? passedMs : 0
  if (lostMs > 0 || isOpening) {
    hearing.heldAt ??= heardAt.now
    hearing.sinceOutageMs += passedMs
    hearing.leftMs = lostMs > 0 ? holdAfter(hearing, lostMs) : Math.max(hearing.leastMs, hearing.leftMs)
    if (lostMs > 0) hearing.missed = afterOutage(hearing.missed, lostMs, hearing.heldAt)
    else if (hearing.missed !== null) hearing.missed = { ...hearing.missed, sinceMs: hearing.missed.sinceMs + passedMs }
  } else if (hearing.heldAt !== null) {
    hearing.sinceOutageMs += passedMs
    hearing.leftMs -= at.now - heardAt.now
    if (hearing.leftMs <= 0) Object.assign(hearing, { heldAt: null, leftMs: 0, sinceOutageMs: 0 })
  }
  if (!isOpening && lostMs === 0 && hearing.missed !== null) hearing.missed = afterHearing(hearing.missed, passedMs)
  hearing.isOpening = false
  hearing.heardAt = at
  return lostMs
}

/**
 * Returns the time for which silence is held back after an outage of `lostMs`, ms: as long as the outage. If silence was held back already,
 * the outage counts from the start of the first one: a sender that lost a report in each of them has an interval of at most that time, so it
 * reports again. A short outage prolongs a long hold only by little, because few senders with a long interval report in it.
 */
function holdAfter({ leftMs, sinceOutageMs }: Hearing, lostMs: number): number {
  const mostMs = Math.max(rejoinedMs, leftMs + rejoinedTimes * lostMs)
  return Math.min(silenceHoldOffMaxMs, Math.max(silenceHoldOffMs, Math.min(sinceOutageMs, mostMs)))
}

/** Records that reports have not been accepted since `monotonic`. */
export function deafen(hearing: Hearing, monotonic: number): void {
  const backMs = hearing.heardAt.monotonic - monotonic
  if (backMs > 0) {
    hearing.heardAt = before(hearing.heardAt, backMs)
    hearing.sinceOutageMs = Math.max(0, hearing.sinceOutageMs - backMs)
    if (hearing.missed !== null) hearing.missed = { ...hearing.missed, sinceMs: Math.max(0, hearing.missed.sinceMs - backMs) }
  }
  hearing.heldAt ??= hearing.heardAt.now
  hearing.isOpening = true
  hearing.leastMs = silenceHoldOffMs
}

const isDeaf = ({ heardAt }: Hearing, at: Moment): boolean => passedBetween(heardAt, at) > deafMs

/**
 * Returns the time between two moments, ms. In a suspend, and when the machine's clock was set forward, the monotonic clock does not show the
 * time that has passed for the senders (ADR 35).
 */
const passedBetween = (from: Moment, to: Moment): number => Math.max(to.monotonic - from.monotonic, to.now - from.now)

/**
 * Returns the instants up to which silence counts, as far as is known at `at`. Probers keep their results while the others are away, so only
 * senders can have lost a report in each of several outages.
 */
export function heldSilence({ checks, pushed }: Silence, at: Moment): HeldSilence {
  const held = { checks: heldOf(checks, at), pushed: heldOf(pushed, at) }
  const { missed, heardAt } = pushed
  if (!isHeldLonger(missed)) return held
  const since = heardAt.now - missed.sinceMs
  return { ...held, missed: { since, until: since + missed.firstMs, count: missed.count, to: missed.heldAt } }
}

const heldOf = (hearing: Hearing, at: Moment): number | null =>
  hearing.heldAt ?? (isDeaf(hearing, at) ? hearing.heardAt.now : null)

/** Returns the next instant at which silence of one kind counts again, if reports continue to be accepted; null: none. */
export function releasedAt(silence: Silence, at: Moment): number | null {
  let next: number | null = null
  for (const kind of reportKinds) {
    const { heardAt, heldAt, leftMs, missed, isOpening } = silence[kind]
    if (isOpening || isDeaf(silence[kind], at)) continue
    const left = [...(heldAt === null ? [] : [leftMs]), ...(isHeldLonger(missed) ? [missed.leftMs] : [])]
    for (const ms of left) next = Math.min(next ?? Number.POSITIVE_INFINITY, heardAt.now + ms)
  }
  return next
}

/** Returns the notes on silence for a successor, as of `at`; null: not known yet. */
export function notesOf(silence: Silence, at: Moment): SilenceNotes | null {
  if (silence.isUnknown) return null
  const notes: SilenceNotes = {}
  for (const kind of reportKinds) {
    const { heardAt, heldAt, leftMs, sinceOutageMs, missed } = silence[kind]
    if (heldAt === null && missed === null && !isDeaf(silence[kind], at)) continue
    // `heldAt` may be minus infinity, which JSON cannot express.
    const noted = heldAt === null ? null : Math.max(0, heldAt)
    const known = { deafMs: passedBetween(heardAt, at), leftMs, sinceOutageMs, heldAt: noted }
    notes[kind] = missed === null ? known : { ...known, missed: { ...missed, heldAt: Math.max(0, missed.heldAt) } }
  }
  return notes
}

const before = (at: Moment, ms: number): Moment => ({ now: at.now - ms, monotonic: at.monotonic - ms })
