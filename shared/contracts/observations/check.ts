// Messages between keeper and prober: the check entry (buckets `check-pages` and `checks`) and the check result (observation stream).
import { type Static, Type } from 'typebox'
import { Instant, Nullable } from '#shared/contracts/common.ts'
import { type Form, firstForm } from '#shared/contracts/form.ts'
import { KeptAnswer } from '#shared/contracts/observations/kept-answer.ts'

const Workspace = Type.String({ minLength: 1, maxLength: 64 })

/**
 * A check to execute at intervals, the only one of its subject, stored in a page, or alone under the key
 * `<location>.<partition>.<subject>`. A newer value always has a larger rev.
 */
export const CheckEntry = Type.Object({
  /**
   * The subject's rev at the last change of this entry. A check result repeats this rev, so that the keeper can drop results of an older
   * entry.
   */
  rev: Type.Integer({ minimum: 1 }),
  /** Key of the kind, which says what else the entry holds; absent: the first kind of the registry. */
  kind: Type.Optional(Type.String()),
  intervalMs: Type.Integer({ minimum: 1 }),
  /** Number of the entry's form; absent: 1. */
  schema: Type.Optional(Type.Integer({ minimum: 1 })),
  /** Id of the workspace, for which an overloaded prober makes its share of checks. Absent in the entry of a website monitor. */
  workspace: Type.Optional(Workspace),
})
export type CheckEntry = Static<typeof CheckEntry>

/** Number of the form of an entry with several checks. */
export const listSchema = 2

/** One check of an entry with several checks. The kind says what the options are. */
export const ListedCheck = Type.Object({
  /** Key of the signal, which a result repeats. */
  signal: Type.String({ minLength: 1, maxLength: 63 }),
  /** Location and suffix of the check (shared/subjects/sources.ts). */
  source: Type.String({ minLength: 1, maxLength: 16 }),
  kind: Type.String(),
  intervalMs: Type.Integer({ minimum: 1 }),
})
export type ListedCheck = Static<typeof ListedCheck>

/**
 * The entry of a subject with checked signals: all its checks at one location, under the same key. Earlier probers refuse it and go on
 * with the others.
 */
export const CheckList = Type.Object({
  schema: Type.Literal(listSchema),
  rev: Type.Integer({ minimum: 1 }),
  /** As in `CheckEntry`. Absent: an older keeper wrote the entry. */
  workspace: Type.Optional(Workspace),
  checks: Type.Array(ListedCheck, { minItems: 1, maxItems: 8 }),
})
export type CheckList = Static<typeof CheckList>

/** A keeper writes this form. A prober reads it and all earlier ones. */
export const checkEntryForm: Form<CheckEntry> = firstForm()

/**
 * Milliseconds, bounded to safe integers. If a row contains a larger whole number, the embedded store cannot read that row
 * back.
 */
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

/** Result of one check. Slot, location and signal together identify a result. The location comes only from the bus subject. */
export const CheckResult = Type.Object({
  /** Id of the subject. Absent: the bus subject names it, as probers did before check entries were in pages. */
  subject: Type.Optional(Type.String({ pattern: '^[0-9A-Za-z_-]{1,64}$' })),
  rev: Type.Integer({ minimum: 1 }),
  /** Key of the signal. Absent: the entry had one check alone. */
  signal: Type.Optional(Type.String({ minLength: 1, maxLength: 63 })),
  /** Slot: the scheduled instant of the check, on bus time. */
  slotAt: Instant,
  /** Milliseconds from the end of the check until this message was sent. */
  ageMs: Type.Integer({ minimum: 0 }),
  ok: Type.Boolean(),
  /** Error of the check as a sentence for people; null: the check passed. */
  error: Nullable(Type.String({ maxLength: 300 })),
  /** HTTP status of the response; null: there was no response. */
  statusCode: Nullable(Type.Integer({ minimum: 0, maximum: 999 })),
  phases: CheckPhases,
  /** Value of the check, null: it has none. Absent: the total time is the value, as for website monitors. */
  value: Type.Optional(Nullable(Type.Number({ minimum: -Number.MAX_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER }))),
  /** Set: the prober could not make the check, and `error` says why. This is no reading. */
  cannot: Type.Optional(Type.Literal(true)),
  /** What the server answered, of some failed checks (v3 5.10). */
  response: Type.Optional(KeptAnswer),
})
export type CheckResult = Static<typeof CheckResult>
