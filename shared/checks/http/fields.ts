// Fields of a check over HTTP and HTTPS. Reference: docs/reference/v3.md, 3.20.
import { limits } from '#shared/limits/limits.ts'
import { headerOf, isNamed, linesOf } from '#shared/net/header-lines.ts'
import { type AnswersOf, checkField } from '../check-field.ts'
import { authority, ipFamily, maxMs, timeoutSeconds, verify } from '../connection-fields.ts'
import { days } from '../tls/fields.ts'
import { jsonOperators } from './json-judgement.ts'
import { readJsonPath } from './json-path.ts'
import { isPattern } from './pattern.ts'
import { isStatusRange } from './statuses.ts'

const secretHeadersMax = 16

/** The virtual host is no secret, because stored secrets stay with it. */
function isSecretHeader(line: string): boolean {
  const header = headerOf(line)
  return header !== null && !isNamed('host')(header)
}

export const url = checkField({
  key: 'url',
  isTarget: true,
  type: 'url',
  label: 'URL',
  example: 'https://shop.example/health',
  required: true,
  characters: 2_048,
  must: 'be a valid http or https URL without user information, which has its own fields',
  fits: text => URL.parse(text)?.username === '' && URL.parse(text)?.password === '',
})
export const method = checkField({
  key: 'method',
  type: 'enum',
  label: 'Method',
  section: 'request',
  default: 'GET',
  options: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'],
  isLater: true,
})
export const headers = checkField({
  key: 'headers',
  type: 'string_list',
  label: 'Headers',
  section: 'request',
  hint: 'Such as Accept: text/html. Credentials are secret headers.',
  default: [],
  items: [0, 32],
  characters: limits.check.requestHeaderBytes,
  must: 'hold at most 32 lines such as "Accept: text/html", and no header that frames the request',
  fits: text => headerOf(text) !== null,
  isLater: true,
})
export const secretHeaders = checkField({
  key: 'secret_headers',
  type: 'secret',
  label: 'Secret headers',
  section: 'request',
  form: 'lines',
  hint: 'One a line, such as X-Api-Key: 1234.',
  default: '',
  secret: true,
  bytes: limits.check.requestHeaderBytes,
  must: `hold at most ${secretHeadersMax} lines such as "X-Api-Key: 1234", and neither Host nor a header that frames the request`,
  fits: text => linesOf(text).length <= secretHeadersMax && linesOf(text).every(isSecretHeader),
  isLater: true,
})
export const body = checkField({
  key: 'body',
  type: 'secret',
  label: 'Body',
  section: 'request',
  form: 'lines',
  default: '',
  secret: true,
  bytes: 65_536,
  mayBePlain: true,
  isLater: true,
})
export const contentType = checkField({
  key: 'content_type',
  type: 'string',
  label: 'Content type of the body',
  section: 'request',
  hint: 'Sent with a body alone.',
  default: 'application/json',
  characters: 255,
  form: 'media type',
  isLater: true,
})
export const username = checkField({
  key: 'username',
  type: 'string',
  label: 'User name',
  section: 'request',
  hint: 'Of basic authentication.',
  default: '',
  characters: 255,
  must: 'have at most 255 characters, and no colon or line break',
  fits: text => !/[:\p{Cc}]/u.test(text),
  isLater: true,
})
export const password = checkField({
  key: 'password',
  type: 'secret',
  label: 'Password',
  section: 'request',
  hint: 'Of basic authentication.',
  default: '',
  secret: true,
  bytes: 4_096,
  fits: text => !/\p{Cc}/u.test(text),
  must: 'have at most 4096 bytes, and no line break',
  isLater: true,
})
export const bearer = checkField({
  key: 'bearer',
  type: 'secret',
  label: 'Bearer token',
  section: 'request',
  hint: 'Sent as Authorization: Bearer.',
  default: '',
  secret: true,
  bytes: limits.check.requestHeaderBytes,
  must: `have at most ${limits.check.requestHeaderBytes} visible ASCII characters without blanks`,
  fits: text => /^[!-~]*$/.test(text),
  isLater: true,
})
export const redirects = checkField({
  key: 'redirects',
  type: 'integer',
  label: 'Redirects',
  section: 'request',
  hint: 'How many are followed. 0: a redirect is judged itself.',
  default: 5,
  min: 0,
  max: 10,
  isLater: true,
})
export const statuses = checkField({
  key: 'statuses',
  type: 'string_list',
  label: 'Accepted statuses',
  section: 'answer',
  default: ['200-299'],
  items: [1, 10],
  characters: 7,
  must: 'hold 1 to 10 statuses such as 200, or ranges such as 200-299, of 100 to 599',
  fits: isStatusRange,
  isLater: true,
})
const text = { type: 'string', default: '', characters: 4_096, isLater: true } as const
export const contains = checkField({
  ...text,
  key: 'contains',
  label: 'Text that the answer must hold',
  section: 'answer',
  hint: 'In the first MiB of the body.',
})
export const lacks = checkField({
  ...text,
  key: 'lacks',
  label: 'Text that the answer must not hold',
  section: 'answer',
  hint: 'In the first MiB of the body.',
})
export const jsonPath = checkField({
  key: 'json_path',
  type: 'string',
  label: 'Path into a JSON answer',
  section: 'answer',
  hint: "Such as $.items[0]['name'].",
  default: '',
  characters: 512,
  must: 'be a path of names and indexes such as $.items[0].name, of at most 512 characters',
  fits: path => path === '' || readJsonPath(path) !== null,
  isLater: true,
})
export const jsonOperator = checkField({
  key: 'json_operator',
  type: 'enum',
  label: 'What the value there must be',
  section: 'answer',
  default: 'eq',
  options: jsonOperators,
  words: {
    eq: 'equal to',
    neq: 'not equal to',
    gt: 'greater than',
    gte: 'at least',
    lt: 'less than',
    lte: 'at most',
    exists: 'there',
    missing: 'missing',
  },
  isLater: true,
})
export const jsonValue = checkField({
  key: 'json_value',
  type: 'string',
  label: 'Expected value',
  section: 'answer',
  hint: 'Read as JSON, or else as a text.',
  default: '',
  characters: 1_024,
  isLater: true,
})
export const matches = checkField({
  key: 'matches',
  type: 'string',
  label: 'Pattern that the answer must match',
  section: 'answer',
  hint: 'In the syntax of RE2, such as (?i)ready|up. In the first 64 KiB of the body.',
  default: '',
  characters: 512,
  must: 'be a pattern in the syntax of RE2, of at most 512 characters and not too many repetitions',
  fits: isPattern,
  isLater: true,
})
const connection = [
  { ...verify, isLater: true },
  { ...authority, isLater: true },
  { ...ipFamily, isLater: true },
  { ...timeoutSeconds, default: 30, isLater: true },
] as const

export const httpFields = [
  ...[url, method, headers, secretHeaders, body, contentType],
  ...[username, password, bearer],
  ...[redirects, statuses, { ...maxMs, isLater: true } as const, contains, lacks, jsonPath, jsonOperator, jsonValue, matches],
  ...connection,
] as const

/** Field of the Template alone: its option `days`, of the check of the certificate. */
export const certificateDays = {
  ...days,
  key: 'certificate_days',
  label: 'Tell when the certificate has fewer days left',
  section: 'judging',
} as const

export type HttpOptions = AnswersOf<typeof httpFields>
export type AllOptions = Required<HttpOptions>

const defaults = Object.fromEntries(httpFields.map(({ key, default: usual }) => [key, usual]))

/** Returns the options with the defaults of those that are absent. */
export const withDefaults = (options: Readonly<Record<string, unknown>>): AllOptions =>
  ({ ...defaults, ...options }) as AllOptions
