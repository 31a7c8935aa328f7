// Message between gateway and prober: a check that is made once, for somebody who waits for its outcome. The request is a check entry.
import { type Static, Type } from 'typebox'
import { Nullable } from '#shared/contracts/common.ts'
import { CheckResult } from '#shared/contracts/observations/check.ts'

const { ok, error, statusCode, phases, value, cannot, response } = CheckResult.properties

/** Instants in ms since the epoch. */
const ReadCertificate = Type.Object({
  subject: Type.String(),
  names: Type.Array(Type.String()),
  issuer: Type.String(),
  validFrom: Type.Number(),
  validTo: Type.Number(),
})
export type ReadCertificate = Static<typeof ReadCertificate>

/** What only somebody who tries a check sees of it. */
export const TriedDetails = Type.Object({
  /** Redirects that were followed, with the status of each. */
  hops: Type.Array(Type.Object({ status: Type.Integer(), location: Type.String() })),
  /** Of the last connection; null: it had none. */
  certificate: Nullable(ReadCertificate),
  /** Records that a name server has answered; null: none was asked. */
  records: Nullable(Type.Array(Type.String())),
})
export type TriedDetails = Static<typeof TriedDetails>

/** Outcome of the check, or why it was not made, a sentence for people. */
export const TriedCheck = Type.Union([
  Type.Object({ ok, error, statusCode, phases, value, cannot, response, details: Type.Optional(TriedDetails) }),
  Type.Object({ unanswered: Type.String(), isNobody: Type.Optional(Type.Literal(true)) }),
])
export type TriedCheck = Static<typeof TriedCheck>
