// Messages between keeper and prober: the check entry (bucket `checks`) and the check result (observation stream).
import { type Static, Type } from 'typebox'
import { Instant, Nullable } from '#shared/contracts/common.ts'
import { WebsiteMethod } from '#shared/contracts/subjects/website.ts'

/** A check: value of the key `<location>.<partition>.<subject>`. A new value always has a larger rev. */
export const CheckEntry = Type.Object({
  /** The subject's rev at the last change of this entry. Results contain it, so that the keeper drops results of an older entry. */
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

/** Milliseconds. Bounded, because the embedded store cannot read a larger whole number back, nor the row that contains it. */
const Phase = Type.Number({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })

/** Milliseconds from the start of the check to the end of each phase; null: the check did not reach the phase. */
export const CheckPhases = Type.Object({
  dnsMs: Nullable(Phase),
  connectMs: Nullable(Phase),
  tlsMs: Nullable(Phase),
  firstByteMs: Nullable(Phase),
  totalMs: Phase,
})
export type CheckPhases = Static<typeof CheckPhases>

/** Result of one check. Its identity is its slot and its location; the location comes only from the bus subject. */
export const CheckResult = Type.Object({
  rev: Type.Integer({ minimum: 1 }),
  /** Scheduled instant on bus time. */
  slotAt: Instant,
  /** Milliseconds between the end of the check and the sending of this message. */
  ageMs: Type.Integer({ minimum: 0 }),
  ok: Type.Boolean(),
  /** A sentence for people; null: ok. */
  error: Nullable(Type.String({ maxLength: 300 })),
  /** HTTP status; null: no response. */
  statusCode: Nullable(Type.Integer({ minimum: 0, maximum: 999 })),
  phases: CheckPhases,
})
export type CheckResult = Static<typeof CheckResult>
