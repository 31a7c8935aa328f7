// Stored form of a website monitor's check. Its members are the fields of the system Template `website-check@1` (v3 3.10).
import { type Static, Type } from 'typebox'
import { LocationId, Nullable, Strict } from '#shared/contracts/common.ts'

export const websiteTemplate = 'website-check@1'

export const WebsiteMethod = Type.Enum(['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'])
export type WebsiteMethod = Static<typeof WebsiteMethod>

/** Unit of the interval. Only commands on the bus may use `SECOND` (benchmarks, the demo). The public APIs require at least a minute. */
export const IntervalUnit = Type.Enum(['SECOND', 'MINUTE', 'HOUR'])
export const FailureMode = Type.Enum(['at_least_one', 'majority', 'all'])
export type FailureMode = Static<typeof FailureMode>

export const WebsiteCheck = Strict({
  url: Type.String({ minLength: 1, maxLength: 2_048 }),
  method: WebsiteMethod,
  content_type: Type.String({ maxLength: 255 }),
  data: Type.String(),
  statuses: Type.Array(Type.Integer({ minimum: 100, maximum: 599 }), { minItems: 1, maxItems: 10 }),
  /** Text that the response's body must contain. Empty: the body is not checked. */
  expected_text: Type.String({ maxLength: 4_096 }),
  /** Location ids, in the order in which they were sent. */
  locations: Type.Array(LocationId, { maxItems: 64 }),
  interval_value: Type.Integer({ minimum: 1, maximum: 1_440 }),
  interval_unit: IntervalUnit,
  failure_mode: FailureMode,
  /** Confirmation delay, seconds. Null: the keeper's setting at the time of the judgement applies. */
  confirm_after: Nullable(Type.Integer({ minimum: 0 })),
  recover_after: Nullable(Type.Integer({ minimum: 0 })),
})
export type WebsiteCheck = Static<typeof WebsiteCheck>

const unitMs = { SECOND: 1_000, MINUTE: 60_000, HOUR: 3_600_000 } as const

/** Returns the time between two checks of a monitor at one location, in ms. */
export function intervalMs(meta: Pick<WebsiteCheck, 'interval_value' | 'interval_unit'>): number {
  return meta.interval_value * unitMs[meta.interval_unit]
}
