// Stored form of the check of a subject: how it is watched, and beside this the answers to the fields of its kind (shared/checks).
import { type Static, type TSchema, Type } from 'typebox'
import { LocationId, Nullable } from '#shared/contracts/common.ts'

/** Unit of the interval. Only commands on the bus may use `SECOND` (benchmarks, the demo). The public APIs require at least a minute. */
export const IntervalUnit = Type.Enum(['SECOND', 'MINUTE', 'HOUR'])
export const FailureMode = Type.Enum(['at_least_one', 'majority', 'all'])
export type FailureMode = Static<typeof FailureMode>

const Watching = {
  /** Key of the kind; absent: the first kind of the registry. */
  kind: Type.Optional(Type.String({ minLength: 1, maxLength: 32 })),
  /** Location ids, in the order in which they were sent. */
  locations: Type.Array(LocationId, { maxItems: 64 }),
  /** The interval, of Templates that state it in seconds; else it is in the two members after it. */
  interval_seconds: Type.Optional(Type.Integer({ minimum: 1, maximum: 86_400 })),
  interval_value: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_440 })),
  interval_unit: Type.Optional(IntervalUnit),
  failure_mode: FailureMode,
  /** Confirmation delay, seconds. Null: the keeper's setting at the time of the judgement applies. */
  confirm_after: Nullable(Type.Integer({ minimum: 0 })),
  recover_after: Nullable(Type.Integer({ minimum: 0 })),
}
const { failure_mode: _, confirm_after: __, recover_after: ___, ...ofGenerations1And2 } = Watching

export type Watching = Static<ReturnType<typeof Type.Object<typeof Watching>>>

/** Answers to the fields of a kind, by key. An answer that is absent is the field's default. */
type Answers = { readonly [field: string]: unknown }

/** The contract has the members of every kind. The keeper checks the answers with the fields of the kind. */
export const StoredCheck = withAnswers(Type.Object(Watching))
export type StoredCheck = Watching & Answers

/** Check of a command of generations 1 and 2. They have no delays. `failure_mode` null: the stored one stays. */
export const SettingsCheck = withAnswers(Type.Object({ ...ofGenerations1And2, failure_mode: Nullable(FailureMode) }))

/** Adds the answers to the type; the schema is unchanged. */
function withAnswers<T extends TSchema>(schema: T) {
  return Type.Unsafe<Static<T> & Answers>(schema)
}

const unitMs = { SECOND: 1_000, MINUTE: 60_000, HOUR: 3_600_000 } as const

/** Returns the time between two checks of a monitor at one location, in ms. */
export function intervalMs(check: Pick<Watching, 'interval_seconds' | 'interval_value' | 'interval_unit'>): number {
  const { interval_seconds: seconds, interval_value: value = 1, interval_unit: unit = 'MINUTE' } = check
  return seconds === undefined ? value * unitMs[unit] : seconds * unitMs.SECOND
}
