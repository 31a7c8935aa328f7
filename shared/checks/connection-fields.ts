// Fields that several kinds of checks have. Data alone, because a browser loads it too.
import { checkField } from './check-field.ts'

export const verify = checkField({
  key: 'verify',
  type: 'boolean',
  label: 'Judge the certificate',
  section: 'answer',
  hint: 'Off: whatever certificate the server has is taken.',
  default: true,
})
export const authority = checkField({
  key: 'authority',
  type: 'text',
  label: 'Authority of the certificate',
  section: 'answer',
  hint: 'Certificates in PEM that are trusted beside the usual authorities. Empty: none.',
  default: '',
  characters: 16_384,
  form: 'certificates',
})
export const ipFamily = checkField({
  key: 'ip_family',
  type: 'enum',
  label: 'Family of addresses',
  section: 'request',
  default: 'any',
  options: ['any', '4', '6'],
  words: { any: 'any', 4: 'IPv4', 6: 'IPv6' },
})
export const maxMs = checkField({
  key: 'max_ms',
  type: 'integer',
  label: 'Fail when it takes longer',
  section: 'answer',
  hint: 'Milliseconds of the whole check. 60000: never, as a check ends before.',
  default: 60_000,
  min: 1,
  max: 60_000,
})
export const timeoutSeconds = checkField({
  key: 'timeout_seconds',
  type: 'integer',
  label: 'Longest duration of a check',
  section: 'request',
  hint: 'Seconds. A check never takes longer than its interval.',
  min: 1,
  max: 60,
})
