// Form of a maintenance window in requests and responses (reference/custom-subjects 5.2). Generation 2 and the session API use the same
// form.

import { type Static, Type } from 'typebox'
import { Strict } from '#shared/contracts/common.ts'
import type { WindowView } from '#shared/contracts/incidents/maintenance.ts'
import type { CustomSubjectView } from '#shared/contracts/subjects/subject-views.ts'
import { refusal } from '#shared/errors.ts'
import { marks } from '../../body/field-values.ts'
import { millisecondsOf } from '../../body/instants.ts'
import { Answered, Instant, Kind, OrNull, writerOf } from '../../body/result-schema.ts'
import { parseTimestamp } from '../../body/rfc3339.ts'

const EndsAt = Type.String({
  description: 'RFC 3339 with its own zone offset, in the future.',
  ...marks({ missing: { message: 'invalid observed_at', details: 'ends_at is required' } }),
})
export const WindowBody = Strict({ ends_at: EndsAt, kind: Type.Optional(Type.Unknown()) })

export const Window = Answered('MaintenanceWindow', {
  subject_id: Type.String(),
  started_at: Instant,
  ends_at: Instant,
  cancelled_at: OrNull(Instant),
  active: Type.Boolean(),
  muted: Type.Array(Type.Enum(['problem', 'no_data'])),
  kind: Kind('maintenance_window'),
})

/**
 * Returns the end of the window in whole milliseconds, up to the year 9999. A missing, an unreadable and a past end all get the same
 * refusal (reference/custom-subjects 5.6).
 */
export function readEndsAt({ ends_at: text }: Static<typeof WindowBody>, now: number): number {
  const atUs = parseTimestamp(text)
  if (atUs === null) throw invalidEnd('ends_at must be an RFC 3339 timestamp such as 2026-01-02T15:04:05+01:00')
  const endsAt = millisecondsOf(atUs)
  if (endsAt > now) return endsAt
  throw invalidEnd('ends_at must be in the future')
}

const invalidEnd = (details: string) => refusal('validation', 'invalid observed_at', details)

const write = writerOf(Window)
export function windowObject({ slug }: Pick<CustomSubjectView, 'slug'>, window: WindowView, now: number) {
  const active = window.cancelledAt === null && window.endsAt > now
  return write({ ...window, subjectId: slug, active, muted: ['problem', 'no_data'] })
}
