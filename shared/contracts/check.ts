// What a prober is told (a check entry in the `checks` bucket) and what it reports (a check result on the observation stream).
import { type Static, Type } from 'typebox'
import { Instant, Nullable } from '#shared/contracts/common.ts'
import { WebsiteMethod } from '#shared/contracts/website.ts'

/** The value of the key `<location>.<partition>.<subject>`; changes only to a larger rev. */
export const CheckEntry = Type.Object({
  /** The subject's rev at which the assignment last changed; echoed in results, so that reports on an old assignment drop. */
  rev: Type.Integer({ minimum: 1 }),
  url: Type.String(),
  method: WebsiteMethod,
  contentType: Type.String(),
  data: Type.String(),
  statuses: Type.Array(Type.Integer()),
  expectedText: Type.String(),
  intervalMs: Type.Integer({ minimum: 1 }),
})
export type CheckEntry = Static<typeof CheckEntry>

/** Ms. Of a larger whole number the embedded store keeps what it can't read again: everything beside it would be lost to reads too. */
const Phase = Type.Number({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })

/** Milliseconds of each phase from the start of the check; null where it did not come so far. */
export const CheckPhases = Type.Object({
  dnsMs: Nullable(Phase),
  connectMs: Nullable(Phase),
  tlsMs: Nullable(Phase),
  firstByteMs: Nullable(Phase),
  totalMs: Phase,
})
export type CheckPhases = Static<typeof CheckPhases>

/** One execution of a check. Its identity is its location (from the bus subject, never from here) and its slot. */
export const CheckResult = Type.Object({
  rev: Type.Integer({ minimum: 1 }),
  /** The scheduled instant on bus time. */
  slotAt: Instant,
  /** Milliseconds between the end of the check and the sending of this message. */
  ageMs: Type.Integer({ minimum: 0 }),
  ok: Type.Boolean(),
  /** A sentence for a person; null when ok. */
  error: Nullable(Type.String({ maxLength: 300 })),
  /** The HTTP status; null where none came. */
  statusCode: Nullable(Type.Integer({ minimum: 0, maximum: 999 })),
  phases: CheckPhases,
})
export type CheckResult = Static<typeof CheckResult>
