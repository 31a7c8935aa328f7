// What is secret, and how it is shown. Reference: docs/reference/v3.md, 11.1 and 11.2.
import fc from 'fast-check'
import t from 'tap'
import { isCredentialName } from '#shared/secrecy/credential-name.ts'
import { messageFields } from '#shared/secrecy/message-fields.ts'
import { redactedText, redactedUrl } from '#shared/secrecy/redacted-text.ts'
import { redactedJson, redactedMembers } from '#shared/secrecy/redacted-value.ts'

t.test('parameter name is recognised as a credential when one part of the name is a credential word (v3 11.1)', async t => {
  const marked = [
    ...[
      'api_token',
      'clientsecret',
      'Authorization',
      'XMLToken',
      'token',
      'TOKENS',
      'x-api-key',
      'apikey',
      'accessKey',
      'AWSAccessKeyId',
    ],
    ...[
      'pw',
      'pwd',
      'dbPassword',
      'PASS',
      'pass1',
      '2pass',
      'sid',
      'PHPSESSIONID',
      'session.id',
      'sig',
      'X-Amz-Signature',
      'jwt',
    ],
    ...['oauth2', 'otp', 'bearer', 'cookie', 'user[secret]', 'keys', 'passphrase', 'mytoken', 'my accesskey', 'ключ_token'],
  ]
  const plain = [
    ...[
      'monkey',
      'author',
      'keyboard',
      'passport',
      'tokenizer',
      'secretary',
      'signal',
      'sessions',
      'compass',
      'keynote',
      'bypass',
    ],
    ...['', '123', 'authority', 'q', 'ключ', 'passenger', 'hotkey', 'cookies', 'oauths', 'ToKeN'],
  ]
  for (const name of marked) t.equal(isCredentialName(name), true, name)
  for (const name of plain) t.equal(isCredentialName(name), false, name)
})

t.test('redaction hides user information in an address, and parameters whose names are credential words', async t => {
  const rows: [url: string, shown: string][] = [
    ['https://user:secret@example.org/a?b=c', 'https://example.org/a?b=c'],
    ['https://token@example.org', 'https://example.org/'],
    ['http://:only@example.org:8080/x#y', 'http://example.org:8080/x#y'],
    ['https://example.org/a b', 'https://example.org/a b'],
    ['https://Example.org?Q=1&token=abc', 'https://Example.org?Q=1&token=redacted'],
    ['https://example.org/?token=a&token=b&n=1', 'https://example.org/?token=redacted&token=redacted&n=1'],
    ['https://example.org/?api%5Fkey=a%26b&to%6ben=c', 'https://example.org/?api%5Fkey=redacted&to%6ben=redacted'],
    ['https://example.org/?user+password=a=b&c', 'https://example.org/?user+password=redacted&c'],
    ['https://example.org/?%zztoken=a', 'https://example.org/?%zztoken=redacted'],
    ['https://example.org/?token&secret=#a?sig=', 'https://example.org/?token&secret=#a?sig='],
    ['https://example.org/#?token=1&n=1', 'https://example.org/#?token=redacted&n=1'],
    ['https://example.org/#access_token=1&n=1', 'https://example.org/#access_token=redacted&n=1'],
    ['https://example.org/#/reset/a;key=1?n=1', 'https://example.org/#/reset/a;key=redacted'],
    ['https://example.org/a;token=1;n=1/b;n=2?n=3', 'https://example.org/a;token=redacted/b;n=2?n=3'],
    ['https://example.org/?n=1;token=a;b&n=2', 'https://example.org/?n=1;token=redacted&n=2'],
    ['https://example.org/?token=a;b&n=2', 'https://example.org/?token=redacted&n=2'],
    ['https://example.org/?next=https://u:p@b.example/', 'https://example.org/?next=https://b.example/'],
    ['https://example.org//@team', 'https://example.org//@team'],
    ['https://u:p@example.org/?pw=1?&key=2#a', 'https://example.org/?pw=redacted&key=redacted#a'],
    ['not a url', ''],
  ]
  for (const [url, shown] of rows) t.equal(redactedUrl(url), shown, url)
})

t.test('redaction hides the credentials of each address in a text', async t => {
  const rows: [text: string, shown: string][] = [
    ['no address: user:secret@host and a=b', 'no address: user:secret@host and a=b'],
    ['GET /push?n=1&token=1 refused', 'GET /push?n=1&token=redacted refused'],
    ['no route to //u:p@db.example/x?pw=1.', 'no route to //db.example/x?pw=redacted'],
    ['see https://a.example/#token=1 and /b;key=2', 'see https://a.example/#token=redacted and /b;key=redacted'],
    ['https://a.example/?q="x"&token=1 refused', 'https://a.example/?q="x"&token=redacted refused'],
    [`https://u:p"p@a.example/?token=1'1 refused`, 'https://a.example/?token=redacted refused'],
    ['https://a.example/?token=1\nDown for 0s', 'https://a.example/?token=redacted\nDown for 0s'],
    [
      '<https://a.example/?token=1|Shop> at https://b.example/?n=1&amp;token=2',
      '<https://a.example/?token=redacted> at https://b.example/?n=1&amp;token=redacted',
    ],
    ['// a comment; n=1', '// a comment; n=1'],
    ['GET https://a.example/;token=1/b refused', 'GET https://a.example/;token=redacted/b refused'],
    ['GET https://u:p@a.example/x failed', 'GET https://a.example/x failed'],
    ['postgres://u:p@db/x and redis://:p@cache', 'postgres://db/x and redis://cache'],
    ['jdbc:mysql://u:p@db/x?password=1', 'jdbc:mysql://db/x?password=redacted'],
    [
      '"HTTP://A.example/?KEY=1", <https://b.example/?sig=2>',
      '"HTTP://A.example/?KEY=redacted", <https://b.example/?sig=redacted>',
    ],
    ['cut off in https://user:passw', 'cut off in https://redacted'],
    ['https://a:b/c@d.example', 'https://redacted'],
    ['https://a.example/b,c.', 'https://a.example/b,c.'],
    ['://', '://'],
  ]
  for (const [text, shown] of rows) {
    t.equal(redactedText(text), shown, text)
    t.equal(redactedText(shown), shown, `again: ${text}`)
  }
})

t.test('display form of a display form is itself, and has nothing that a credential had', async () => {
  const separator = fc.constantFrom(
    '?',
    '&',
    ';',
    '#',
    '/',
    '//',
    '"',
    "'",
    '<',
    '>',
    '\n',
    ' ',
    '=',
    '@',
    ':',
    'https://',
    'token=',
    'n=',
  )
  const soup = fc.array(fc.oneof(separator, fc.constantFrom('a', 'b1', '%20')), { maxLength: 24 }).map(parts => parts.join(''))
  fc.assert(fc.property(soup, text => redactedText(redactedText(text)) === redactedText(text)))
  const place = fc.constantFrom('?token=', '?n=1&token=', '?n=1;token=', '#token=', '#/a?n=1&token=', ';token=', '/b;token=')
  const value = fc.stringMatching(/^[a-z"'<>;:=@!$()*,.+~-]{0,8}MARK[a-z"';:=@!$()*,.+~-]{0,8}$/)
  const around = fc.constantFrom(['', ''], ['see ', ' now'], ['"', '", n'], ['(', ') n'], ["'", "'"])
  const planted = fc.property(place, value, around, (where, secret, [before, after]) => {
    const url = `https://shop.example/a${where}${secret}`
    // In a text, a quotation mark before a blank or a bracket ends the URL.
    const isWholeInText = !/["'<>](?![a-z])/i.test(secret)
    const isHiddenInText = !redactedText(`${before}${url}${after}`).includes('MARK')
    return !redactedUrl(url).includes('MARK') && (isHiddenInText || !isWholeInText)
  })
  fc.assert(planted)
})

t.test('named values are shown by name at every depth, and other values keep their form', async t => {
  const body = {
    api_token: 'hidden',
    empty_token: '',
    keys: ['hidden', 1],
    credentials: { user: 'hidden', id: 7 },
    deep: [{ password: 'hidden', note: 'https://me:hidden@a.example/' }],
    plain: true,
    nothing: null,
  }
  t.strictSame(redactedMembers(body), {
    api_token: '[redacted]',
    empty_token: '',
    keys: ['[redacted]', 1],
    credentials: { user: '[redacted]', id: 7 },
    deep: [{ password: '[redacted]', note: 'https://a.example/' }],
    plain: true,
    nothing: null,
  })
})

t.test('JSON is redacted value by value, and every other byte stays', async t => {
  const rows: [text: string, shown: string][] = [
    ['{"text":"https://a.example/?token=1\\nDown for 0s"}', '{"text":"https://a.example/?token=redacted\\nDown for 0s"}'],
    [
      '{ "a" : "GET https://a.example/?q=\\"x\\"&token=1\\"" , "n": 1.0 }',
      '{ "a" : "GET https://a.example/?q=\\"x\\"&token=redacted\\"" , "n": 1.0 }',
    ],
    ['{"a":"\\u0041 https:\\/\\/a.example"}', '{"a":"\\u0041 https:\\/\\/a.example"}'],
    ['{"a":"https:\\/\\/u:p@a.example"}', '{"a":"https://a.example/"}'],
    ['down: https://a.example/?token=1 "x"', 'down: https://a.example/?token=redacted "x"'],
  ]
  for (const [text, shown] of rows) t.equal(redactedJson(text), shown, text)
})

t.test('message has no list, no secret and no credential among its fields, and counts what it leaves out', async t => {
  const members = { host: 'https://me:hidden@a.example/', api_token: 'hidden', keys: 3, list: ['a'], data: 'hidden' }
  t.strictSame(
    messageFields(members, key => key === 'data'),
    { fields: { host: 'https://a.example/', keys: 3 }, fieldsOmitted: 3 },
  )
})
