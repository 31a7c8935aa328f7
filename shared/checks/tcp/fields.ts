// Fields of a check of a port. Reference: docs/reference/v3.md, 3.16 and 3.17.
import { type AnswersOf, checkField } from '../check-field.ts'
import { authority, ipFamily, maxMs, timeoutSeconds, verify } from '../connection-fields.ts'

const host = checkField({
  key: 'host',
  isTarget: true,
  type: 'string',
  label: 'Host',
  hint: 'A name or an IP address.',
  example: 'db.example',
  required: true,
  characters: 253,
  form: 'host',
})
const port = checkField({
  key: 'port',
  isTarget: true,
  type: 'integer',
  label: 'Port',
  example: '5432',
  required: true,
  min: 1,
  max: 65_535,
})
const secure = checkField({ key: 'tls', type: 'boolean', label: 'TLS from the first byte', section: 'request', default: false })
const send = checkField({
  key: 'send',
  type: 'secret',
  label: 'Text to send',
  section: 'request',
  hint: 'A line ends with \\r\\n, and \\x00 to \\xff are bytes. Empty: nothing is sent.',
  default: '',
  secret: true,
  bytes: 1_024,
  form: 'escaped',
  mayBePlain: true,
})
const expect = checkField({
  key: 'expect',
  type: 'string',
  label: 'Text that the answer must hold',
  section: 'answer',
  hint: 'In its first 4 KiB. Empty: a connection is enough.',
  default: '',
  characters: 1_024,
})

export const tcpFields = [
  host,
  port,
  secure,
  verify,
  authority,
  send,
  expect,
  maxMs,
  ipFamily,
  { ...timeoutSeconds, default: 10 },
] as const

export type TcpAnswers = AnswersOf<typeof tcpFields>
