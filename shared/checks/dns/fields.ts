// Fields of a check of a name at a name server. Reference: docs/reference/v3.md, 3.18.
import { type AnswersOf, checkField } from '../check-field.ts'
import { maxMs, timeoutSeconds } from '../connection-fields.ts'

const name = checkField({
  key: 'name',
  isTarget: true,
  type: 'string',
  label: 'Domain name',
  example: 'shop.example',
  required: true,
  characters: 253,
  form: 'domain name',
})
const record = checkField({
  key: 'record',
  isTarget: true,
  type: 'enum',
  label: 'Type of the record',
  section: 'request',
  default: 'A',
  options: ['A', 'AAAA', 'CAA', 'CNAME', 'MX', 'NS', 'PTR', 'SOA', 'SRV', 'TXT'],
})
const server = checkField({
  key: 'server',
  type: 'string',
  label: 'Name server',
  section: 'request',
  hint: 'An IP address, with a port if it is not 53. Empty: the first name server of the prober.',
  default: '',
  characters: 60,
  form: 'name server',
})
const rcode = checkField({
  key: 'rcode',
  type: 'enum',
  label: 'Expected response code',
  section: 'answer',
  default: 'NOERROR',
  options: ['NOERROR', 'NXDOMAIN'],
  words: { NOERROR: 'NOERROR: the name exists', NXDOMAIN: 'NXDOMAIN: the name does not exist' },
})
const expected = checkField({
  key: 'expected',
  type: 'string_list',
  label: 'Expected records',
  section: 'answer',
  hint: 'Such as 192.0.2.1 or 10 mail.example. Empty: any record.',
  default: [],
  items: [0, 16],
  characters: 1_024,
})
const match = checkField({
  key: 'match',
  type: 'enum',
  label: 'Which of them must be there',
  section: 'answer',
  default: 'all',
  options: ['all', 'any', 'exact'],
  words: { all: 'all of them', any: 'at least one', exact: 'all of them, and no other' },
})
const timeout = {
  ...timeoutSeconds,
  hint: 'Seconds. Without an answer, the question is sent once more after half of them.',
  default: 5,
  max: 30,
} as const

export const dnsFields = [name, record, server, rcode, expected, match, maxMs, timeout] as const

export type DnsAnswers = AnswersOf<typeof dnsFields>
export type RecordType = DnsAnswers['record']
