// Fields of a check by ping. Reference: docs/reference/v3.md, 3.19.
import { type AnswersOf, checkField } from '../check-field.ts'
import { ipFamily, maxMs, timeoutSeconds } from '../connection-fields.ts'

const host = checkField({
  key: 'host',
  isTarget: true,
  type: 'string',
  label: 'Host',
  hint: 'A name or an IP address.',
  example: 'gateway.example',
  required: true,
  characters: 253,
  form: 'host',
})
const count = checkField({
  key: 'count',
  type: 'integer',
  label: 'Pings',
  section: 'request',
  hint: 'How many are sent at most.',
  default: 3,
  min: 1,
  max: 10,
})
const maxLost = checkField({
  key: 'max_lost',
  type: 'integer',
  label: 'Pings that may be lost',
  section: 'answer',
  hint: 'As many as are sent, or more: one reply is enough.',
  default: 9,
  min: 0,
  max: 9,
})

const slowest = { ...maxMs, hint: 'Milliseconds of the quickest round trip. 60000: never, as a check ends before.' } as const
const timeout = { ...timeoutSeconds, default: 3, max: 10 } as const

export const icmpFields = [host, count, maxLost, slowest, ipFamily, timeout] as const

export type IcmpAnswers = AnswersOf<typeof icmpFields>
