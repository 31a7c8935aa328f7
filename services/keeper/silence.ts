// For how long nobody is called silent after reports could not be taken (ADR 22). Holds, for each partition and kind of report, up to when
// reports were taken and how long silence is still held back. Pure: moments are passed in. Never knows why; `listening.ts` does.
import type { Clock } from '#shared/clock.ts'
import type { ReportKind, SilenceNote, SilenceNotes } from '#shared/contracts/silence.ts'
import { limits } from '#shared/limits.ts'
import type { CheckpointDocument } from '#shared/store/collections.ts'
import type { HeldSilence } from './step/types.ts'

/** One moment on the keeper's clock and on the clock that nobody can set, ms. */
export interface Moment {
  now: number
  monotonic: number
}

export const momentOf = (clock: Pick<Clock, 'now' | 'monotonic'>): Moment => ({ now: clock.now(), monotonic: clock.monotonic() })

export interface Hearing {
  /** Reports sent up to this moment were taken. */
  heardAt: Moment
  /** Silence counts only up to this instant while it is held back; null: it is not. */
  heldAt: number | null
  /** For how long it stays held back from `heardAt` on, if reports go on being taken, ms. */
  leftMs: number
  /** Nothing was taken since the partition was opened, or since something was in the way: what was kept elsewhere is to come first. */
  isOpening: boolean
}

export interface Silence extends Record<ReportKind, Hearing> {
  /** The lease says nothing of the time before its present holder: the checkpoint is still to be asked. */
  isUnknown: boolean
}

/** The time before the lease's present holder: nobody held it for `vacantMs`; before that it stood as `notes` say. */
export interface Precedent {
  vacantMs: number
  notes: SilenceNotes
}

export const reportKinds: readonly ReportKind[] = ['checks', 'pushed']
const { silenceHoldOffMs, silenceHoldOffMaxMs, deafMs } = limits.keeper
const nothing: SilenceNote = { deafMs: 0, leftMs: 0, heldAt: null }

/** Of a partition whose lease was taken at `at`; null: the lease says nothing. */
export function silenceAfter(precedent: Precedent | null, at: Moment): Silence {
  const { vacantMs, notes } = precedent ?? { vacantMs: 0, notes: {} }
  const hearing = (kind: ReportKind) => hearingAfter(vacantMs, notes[kind] ?? nothing, at)
  return { checks: hearing('checks'), pushed: hearing('pushed'), isUnknown: precedent === null }
}

function hearingAfter(vacantMs: number, note: SilenceNote, at: Moment): Hearing {
  const heardAt = before(at, vacantMs + note.deafMs)
  return { heardAt, heldAt: Math.min(note.heldAt ?? heardAt.now, heardAt.now), leftMs: note.leftMs, isOpening: true }
}

/** Of a partition that its holder opens anew. */
export function reopenSilence(silence: Silence): void {
  for (const kind of reportKinds) {
    const hearing = silence[kind]
    Object.assign(hearing, { isOpening: true, heldAt: hearing.heldAt ?? hearing.heardAt.now })
  }
}

/** Reports after the checkpoint are read anew, so silence counts up to the checkpoint only. Used if the lease has no account. */
export function heedCheckpoint(silence: Silence, checkpoint: CheckpointDocument | null, at: Moment): void {
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

/**
 * Reports are taken at `at`. Returns for how long they were not, ms; 0: they went on. Silence is then held back for as long, on top of what was
 * left of an earlier hold: whoever reports once in such a time has had a turn by then.
 */
export function hear(hearing: Hearing, at: Moment): number {
  const { heardAt, isOpening } = hearing
  const passedMs = at.monotonic - heardAt.monotonic
  const lostMs = passedMs > deafMs ? passedMs : 0
  if (lostMs > 0 || isOpening) {
    hearing.heldAt ??= heardAt.now
    hearing.leftMs = Math.min(silenceHoldOffMaxMs, Math.max(silenceHoldOffMs, hearing.leftMs + lostMs))
  } else if (hearing.heldAt !== null) {
    hearing.leftMs -= at.now - heardAt.now
    if (hearing.leftMs <= 0) Object.assign(hearing, { heldAt: null, leftMs: 0 })
  }
  hearing.isOpening = false
  hearing.heardAt = at
  return lostMs
}

/** It turns out that reports have not been taken since `monotonic`. */
export function deafen(hearing: Hearing, monotonic: number): void {
  const backMs = hearing.heardAt.monotonic - monotonic
  if (backMs > 0) hearing.heardAt = before(hearing.heardAt, backMs)
  hearing.heldAt ??= hearing.heardAt.now
  hearing.isOpening = true
}

const isDeaf = ({ heardAt }: Hearing, at: Moment): boolean => at.monotonic - heardAt.monotonic > deafMs

/** Up to where silence counts at `at`. */
export function heldSilence({ checks, pushed }: Silence, at: Moment): HeldSilence {
  return { checks: heldOf(checks, at), pushed: heldOf(pushed, at) }
}

const heldOf = (hearing: Hearing, at: Moment): number | null =>
  hearing.heldAt ?? (isDeaf(hearing, at) ? hearing.heardAt.now : null)

/** The next instant at which silence of one kind counts again, if reports go on being taken; null: none. */
export function releasedAt(silence: Silence, at: Moment): number | null {
  let next: number | null = null
  for (const kind of reportKinds) {
    const { heardAt, heldAt, leftMs, isOpening } = silence[kind]
    if (heldAt === null || isOpening || isDeaf(silence[kind], at)) continue
    next = Math.min(next ?? Number.POSITIVE_INFINITY, heardAt.now + leftMs)
  }
  return next
}

/** The account for a successor at `at`; null: not known yet. */
export function notesOf(silence: Silence, at: Moment): SilenceNotes | null {
  if (silence.isUnknown) return null
  const notes: SilenceNotes = {}
  for (const kind of reportKinds) {
    const { heardAt, heldAt, leftMs } = silence[kind]
    if (heldAt === null && !isDeaf(silence[kind], at)) continue
    // Minus infinity is no JSON.
    notes[kind] = { deafMs: at.monotonic - heardAt.monotonic, leftMs, heldAt: heldAt === null ? null : Math.max(0, heldAt) }
  }
  return notes
}

const before = (at: Moment, ms: number): Moment => ({ now: at.now - ms, monotonic: at.monotonic - ms })
