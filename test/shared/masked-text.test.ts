// Secrets of a check in the text of a stranger, such as a server that repeats what it was sent.
import fc from 'fast-check'
import t from 'tap'
import { maskOf } from '#shared/secrecy/masked-text.ts'

t.test('secrets of a check are hidden in a text of a stranger, in each form in which they were sent', async t => {
  const secrets = ['pa"ss wörd', 'Bearer abcdefgh1234', '{\n  "token": "s3cr3t-value",\n  "n": 1\n}', '!?!']
  const { short: mask, whole } = maskOf(secrets)
  for (const text of [
    'pa"ss wörd',
    JSON.stringify('pa"ss wörd').slice(1, -1),
    'pa%22ss%20w%C3%B6rd',
    'pa%22ss+w%C3%B6rd',
    'Bearer abcdefgh1234',
    'abcdefgh1234',
    's3cr3t-value',
    '"token": "s3cr3t-value",',
    '!?!',
    Buffer.from('abcdefgh1234').toString('base64').replace(/=+$/, ''),
    Buffer.from('pa"ss wörd').toString('base64url'),
  ]) {
    t.equal(mask(`a ${text} b ${text}`, 60), 'a [redacted] b [redacted]', text)
  }
  t.equal(mask('{"a": {"b": [1]}}', 60), '{"a": {"b": [1]}}', 'brackets of a body are no secret')
  t.equal(
    mask(`${'x'.repeat(50)}Bearer abcdefgh1234`, 60),
    `${'x'.repeat(50)}[redacted]`,
    'a secret is hidden before the text is cut',
  )
  t.equal(mask(`${'x'.repeat(58)}Bearer abcdefgh1234`, 60), `${'x'.repeat(58)}[…`)
  t.equal(mask('😀'.repeat(61), 60), `${'😀'.repeat(59)}…`)
  t.equal(maskOf([]).short('a', 60), 'a')
  t.equal(whole('a abcdefgh1234 b abcdefg', false), 'a [redacted] b abcdefg')
  t.equal(
    whole('a abcdefgh1234 b abcdefg', true),
    'a [redacted] b ',
    'the end of a text that goes on may be the beginning of a secret',
  )
  const anyText = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 12 })
  fc.assert(
    fc.property(fc.array(anyText, { maxLength: 3 }), anyText, anyText, (others, secret, around) => {
      const shown = maskOf([...others, secret]).short(`${around}${secret}${around}`, 1_000)
      return secret.trim() === '' || !shown.replaceAll('[redacted]', '').includes(secret) || '[redacted]'.includes(secret)
    }),
  )
})
