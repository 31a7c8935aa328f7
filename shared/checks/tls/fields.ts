// Fields of a check of a certificate. Reference: docs/reference/v3.md, 3.15 and 3.17.
import { type AnswersOf, checkField } from '../check-field.ts'
import { authority, ipFamily, timeoutSeconds, verify } from '../connection-fields.ts'

export const target = checkField({
  key: 'target',
  isTarget: true,
  type: 'string',
  label: 'Host',
  hint: 'A host, host:port or an https URL. Without a port: 443.',
  example: 'shop.example',
  required: true,
  characters: 2_048,
  form: 'endpoint',
})
const serverName = checkField({
  key: 'server_name',
  type: 'string',
  label: 'Name in the certificate',
  section: 'request',
  hint: 'The server is asked for the certificate of this name. Empty: the host.',
  default: '',
  characters: 253,
  form: 'host name',
})
export const days = checkField({
  key: 'days',
  type: 'integer',
  label: 'Fail when fewer days are left',
  section: 'answer',
  hint: 'Or, if that is less, when less than a quarter of its lifetime is left. 0: only when it has ended.',
  default: 21,
  min: 0,
  max: 365,
})

export const tlsFields = [
  target,
  serverName,
  days,
  { ...verify, hint: 'Off: only its dates count.' },
  authority,
  ipFamily,
  { ...timeoutSeconds, default: 15 },
] as const

export type TlsAnswers = AnswersOf<typeof tlsFields>
