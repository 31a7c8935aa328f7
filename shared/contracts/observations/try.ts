// Message between gateway and prober: a check that is made once, for somebody who waits for its outcome. The request is a check entry.
import { type Static, Type } from 'typebox'
import { CheckResult } from '#shared/contracts/observations/check.ts'

const { ok, error, statusCode, phases, value, cannot, response } = CheckResult.properties

/** Outcome of the check, or why it was not made, a sentence for people. */
export const TriedCheck = Type.Union([
  Type.Object({ ok, error, statusCode, phases, value, cannot, response }),
  Type.Object({ unanswered: Type.String() }),
])
export type TriedCheck = Static<typeof TriedCheck>
