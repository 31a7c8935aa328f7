// Options and judgement of a check over HTTP: which answers are refused, what a JSON path reads, which request follows a redirect.
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import t from 'tap'
import { isKnownCheck, readCheckAnswers } from '#shared/checks/check-answers.ts'
import { http } from '#shared/checks/http/http.ts'
import { type JsonTest, jsonFault } from '#shared/checks/http/json-judgement.ts'
import { readJsonPath, valueAt } from '#shared/checks/http/json-path.ts'
import { type Hop, nextHop } from '#shared/checks/http/redirect.ts'
import { statusRange } from '#shared/checks/http/statuses.ts'
import { entryOf } from '#shared/checks/registry.ts'
import type { Template } from '#shared/contracts/resources/template.ts'
import type { StoredCheck } from '#shared/contracts/subjects/check.ts'
import { readAnswers } from '#shared/manifest/answers.ts'
import { findSystemTemplate } from '#shared/manifest/system-templates.ts'

const asked = { url: 'https://shop.example/', locations: ['aaaa'] }
const read = (options: Record<string, unknown>) => readCheckAnswers(http, { ...asked, ...options }, null)

/** Returns the field and the sentence of the refusal; null: the options are accepted. */
function refusalOf(options: Record<string, unknown>): string | null {
  try {
    read(options)
    return null
  } catch (error) {
    return (error as Error).message
  }
}

t.test('each bad option is refused with its field and a sentence that says what to do', async t => {
  const framing = /^Field 'headers' must hold .* no header that frames the request$/
  const cases: [name: string, options: Record<string, unknown>, refusal: RegExp][] = [
    ['user information in the URL', { url: 'https://me:pw@shop.example/' }, /^Field 'url' must be .* without user information/],
    ['another scheme', { url: 'ftp://shop.example/' }, /^Field 'url' must be/],
    ['an unknown method', { method: 'TRACE' }, /^Field 'method' must be one of GET, HEAD, /],
    ['a header without a colon', { headers: ['Accept'] }, framing],
    ['a header with a line break', { headers: ['Accept: a\r\nX-B: c'] }, framing],
    ['a header beyond ASCII', { headers: ['X-Name: schön'] }, framing],
    ['a blank in a name', { headers: ['X Name: a'] }, framing],
    ...['Content-Length', 'transfer-encoding', 'Connection', 'Upgrade', 'Expect', 'TE', 'Trailer', 'Proxy-Authorization'].map(
      (name): [string, Record<string, unknown>, RegExp] => [name, { headers: [`${name}: 1`] }, framing],
    ),
    ['33 headers', { headers: Array(33).fill('X-A: b') }, framing],
    [
      '8 KiB of headers',
      { headers: Array(32).fill(`X-A: ${'b'.repeat(252)}`) },
      /'headers' must have at most 8192 bytes together$/,
    ],
    ['a cookie among headers', { headers: ['Cookie: a=b'] }, /'headers' has Cookie, .*: put it into secret_headers$/],
    ['a key among headers', { headers: ['X-Api-Key: b'] }, /'headers' has X-Api-Key, .*: put it into secret_headers$/],
    ['17 secret headers', { secret_headers: 'X-A: b\n'.repeat(17) }, /^Field 'secret_headers' must hold at most 16 lines/],
    ['a secret header of framing', { secret_headers: 'Transfer-Encoding: x' }, /^Field 'secret_headers' must/],
    ['a secret virtual host', { secret_headers: 'X-A: b\nhost: c' }, /^Field 'secret_headers' must hold .* neither Host nor/],
    ['a body of 64 KiB and a byte', { body: 'ü'.repeat(32_769) }, /^Field 'body' must have at most 65536 bytes$/],
    ['a content type that is none', { content_type: 'text' }, /^Field 'content_type' must be a MIME type$/],
    ['a colon in a user name', { username: 'a:b' }, /^Field 'username' must have .* no colon/],
    ['a line break in a password', { password: 'a\nb' }, /^Field 'password' must have .* no line break$/],
    ['a blank in a token', { bearer: 'a b' }, /^Field 'bearer' must have .* without blanks$/],
    ['basic and bearer', { username: 'a', bearer: 'b' }, /^Field 'bearer' and username exclude each other/],
    ['a password and bearer', { password: 'a', bearer: 'b' }, /^Field 'bearer' and username exclude each other/],
    [
      'basic and Authorization',
      { username: 'a', secret_headers: 'X-A: b\nauthorization: c' },
      /^Field 'secret_headers' has Authorization, which username sends/,
    ],
    [
      'bearer and Authorization',
      { bearer: 'a', secret_headers: 'Authorization: c' },
      /which bearer sends: leave one of them out$/,
    ],
    ['11 redirects', { redirects: 11 }, /^Field 'redirects' must be a whole number, 0 to 10$/],
    ['statuses as numbers', { statuses: [200] }, /^Field 'statuses' must hold 1 to 10 statuses such as 200/],
    ...['99', '600', '299-200', '200-', '2xx', '200 - 299'].map((text): [string, Record<string, unknown>, RegExp] => [
      `the status ${text}`,
      { statuses: [text] },
      /^Field 'statuses' must hold/,
    ]),
    ['no statuses', { statuses: [] }, /^Field 'statuses' must hold 1 to 10/],
    ['no time at all', { max_ms: 0 }, /^Field 'max_ms' must be a whole number, 1 to 60000$/],
    ['HEAD and a text', { method: 'HEAD', contains: 'a' }, /^Field 'contains' is not for HEAD/],
    ['HEAD and no text', { method: 'HEAD', lacks: 'a' }, /^Field 'lacks' is not for HEAD/],
    ['HEAD and JSON', { method: 'HEAD', json_path: '$' }, /^Field 'json_path' is not for HEAD/],
    ['a path that is none', { json_path: '$..a' }, /^Field 'json_path' must be a path of names and indexes/],
    ['a value without a path', { json_value: '1' }, /^Field 'json_path' must say where json_value is expected$/],
    [
      'an order of texts',
      { json_path: '$', json_operator: 'gt', json_value: 'a' },
      /'json_value' must be a number if json_operator is gt/,
    ],
    ['an authority that is none', { authority: 'mine' }, /^Field 'authority' must hold 1 to 8 certificates in PEM/],
    [
      'a broken authority',
      { authority: '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----' },
      /^Field 'authority' must/,
    ],
    ['an unknown family', { ip_family: '5' }, /^Field 'ip_family' must be one of any, 4, 6$/],
    ['a timeout of 61 s', { timeout_seconds: 61 }, /^Field 'timeout_seconds' must be a whole number, 1 to 60$/],
    ['a pattern with an open group', { matches: '(a' }, /^Field 'matches' must be a pattern in the syntax of RE2/],
    ['a pattern that looks around', { matches: 'a(?=b)' }, /^Field 'matches' must/],
    ['a pattern that refers back', { matches: '(a)\\1' }, /^Field 'matches' must/],
    ['a pattern with too many repetitions', { matches: '(a{32}){32}' }, /^Field 'matches' must/],
    ['a pattern of 513 characters', { matches: 'a'.repeat(513) }, /^Field 'matches' must/],
    ['a pattern for HEAD', { method: 'HEAD', matches: 'a' }, /^Field 'matches' is not for HEAD/],
    ['an option of website monitors', { expected_text: 'a' }, /^The Template declares no field 'expected_text'$/],
  ]
  for (const [name, options, refusal] of cases) t.match(refusalOf(options), refusal, name)
  t.notOk(isKnownCheck({ ...read({}), method: 'HEAD', contains: 'a' }), 'nor is it taken from the bus')
  t.ok(isKnownCheck(read({})))
})

t.test('options at their bounds are accepted, and a check entry holds only what differs from the default', async t => {
  const authority = certificate()
  for (const options of [
    { headers: ['Accept: text/html', 'Host: other.example', 'User-Agent:', 'X-A: \tb "c" '] },
    { headers: Array(32).fill('X-A: b') },
    { secret_headers: 'Authorization: Basic a\r\nCookie: b=c\n' },
    { username: 'a', password: 'b c:d' },
    { statuses: ['100-599', '404', '200-200'] },
    { max_ms: 60_000, redirects: 0, timeout_seconds: 1 },
    { matches: 'a'.repeat(512) },
    { matches: '(?i)^(up|ready)\\b.*[0-9a-f]{64}$' },
    { json_path: "$[-1]['a'].b", json_operator: 'lte', json_value: '1e3' },
    { json_path: '$', json_operator: 'exists' },
    { authority: `${authority}\n${authority}` },
    { url: 'https://bücher.example/' },
  ]) {
    t.equal(refusalOf(options), null, JSON.stringify(options).slice(0, 80))
  }
  t.match(refusalOf({ authority: authority.repeat(9) }), /hold 1 to 8 certificates/)
  t.strictSame(entryOf(read({}), 3), { rev: 3, kind: 'http', options: { url: asked.url }, intervalMs: 60_000 })
  const some = { headers: ['X-A: b'], statuses: ['200'], contains: 'all is well', max_ms: 100 }
  t.strictSame(entryOf(read(some), 3)['options' as never], { url: asked.url, ...some })
})

t.test('a stored secret stays with its origin, its virtual host and the judgement of the certificate', async t => {
  const sealed = 'sealed:abcdefgh:geheim'
  const stored = { ...read({ url: 'https://shop.example/a', headers: ['X-A: b'] }), bearer: sealed } as StoredCheck
  const change = (sent: Record<string, unknown>) => {
    try {
      return readCheckAnswers(http, sent, stored)['bearer']
    } catch (error) {
      return (error as Error).message
    }
  }
  for (const sent of [{ url: 'https://shop.example:443/b?c' }, { headers: ['X-A: c'] }, { method: 'POST', redirects: 0 }]) {
    t.equal(change(sent), sealed, JSON.stringify(sent))
  }
  for (const sent of [
    { url: 'https://shop.example:444/a' },
    { url: 'http://shop.example/a' },
    { url: 'https://other.example/a' },
    { headers: ['Host: other.example'] },
    { verify: false },
    { authority: certificate() },
  ]) {
    t.match(change(sent), /^Field 'bearer' must be sent again/, JSON.stringify(sent).slice(0, 60))
    t.equal(change({ ...sent, bearer: 'new' }), 'new')
  }
  t.match(change({ username: 'a' }), /^Field 'bearer' and username exclude each other/, 'a sealed secret counts as one')
})

function certificate(): string {
  const [key, cert] = ['key', 'cert'].map(name => join(mkdtempSync(join(tmpdir(), 'http-')), name)) as [string, string]
  const words = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-subj', '/CN=a']
  execFileSync('openssl', [...words, '-keyout', key, '-out', cert], { stdio: 'ignore' })
  return readFileSync(cert, 'utf8')
}

t.test('statuses are texts or ranges', async t => {
  t.strictSame(statusRange('200'), [200, 200])
  t.strictSame(statusRange('200-299'), [200, 299])
  for (const text of ['', '20', '2000', '600', '99', '299-200', '200-299-300', ' 200', '200\n'])
    t.equal(statusRange(text), null, text)
})

t.test('path reads what RFC 9535 lets a singular query read, and nothing else is a path', async t => {
  const value = { o: { 'j j': 1, "'": 2, '"': 3, ü: 4, 'a.b': 5, '\n': 6 }, a: [1, [2, 3]], n: null, length: 9 }
  const found: [path: string, value: unknown][] = [
    ['$', value],
    ['$.o["j j"]', 1],
    ["$.o['j j']", 1],
    ['$.o["\'"]', 2],
    ["$.o['\\'']", 2],
    ['$.o["\\""]', 3],
    ["$.o['\"']", 3],
    ['$.o.ü', 4],
    ["$['o']['a.b']", 5],
    ["$.o['\\u00fc']", 4],
    ["$.o['\\n']", 6],
    ['$.a[0]', 1],
    ['$.a[-1][0]', 2],
    ['$ .a [1] [-1]', 3],
    ['$.n', null],
    ['$.n.x', undefined],
    ['$.a[2]', undefined],
    ['$.a[-3]', undefined],
    ['$.a.length', undefined],
    ["$.a['0']", undefined],
    ['$.o[0]', undefined],
    ['$.toString', undefined],
    ['$.__proto__', undefined],
    ['$.length', 9],
  ]
  for (const [path, expected] of found) t.strictSame(valueAt(value, readJsonPath(path) ?? ['no path']), expected, path)
  const refused = [
    '',
    'a',
    '$.',
    '$a',
    '$[',
    '$[]',
    '$[01]',
    '$[-0]',
    '$[1.0]',
    '$[1:2]',
    '$[*]',
    '$.*',
    '$..a',
    '$[?@.a]',
    '$.1',
    '$.a ',
  ]
  const refusedToo = [
    '$["a\']',
    "$['\\\"']",
    '$["\\\'"]',
    '$["\\x"]',
    "$['a','b']",
    '$[ 0 ]',
    '$[99999999999999999]',
    '$.a-b',
    "$['\n']",
  ]
  for (const path of [...refused, ...refusedToo]) t.equal(readJsonPath(path), null, path)
})

/** Returns a path to each value inside of a value, and the value. */
function* places(value: unknown, path = '$'): Generator<[path: string, value: unknown]> {
  yield [path, value]
  if (typeof value !== 'object' || value === null) return
  const length = Array.isArray(value) ? value.length : null
  for (const [name, inner] of Object.entries(value)) {
    const quoted = `'${JSON.stringify(name).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`
    const forms = length === null ? [quoted, JSON.stringify(name)] : [name, String(Number(name) - length)]
    for (const form of forms) yield* places(inner, `${path}[${form}]`)
  }
}

t.test('path to any place of any JSON leads there, and its judgement is that of a plain evaluator', async () => {
  const operators: JsonTest['operator'][] = ['eq', 'neq', 'gt', 'gte', 'lt', 'lte', 'exists', 'missing']
  const given = fc.tuple(fc.jsonValue({ maxDepth: 3 }), fc.nat(), fc.constantFrom(...operators), fc.jsonValue({ maxDepth: 1 }))
  fc.assert(
    fc.property(given, fc.boolean(), ([value, which, operator, other], isSame) => {
      const all = [...places(value)]
      const [path, there] = all[which % all.length] as [string, unknown]
      const expected = JSON.parse(JSON.stringify(isSame ? there : other))
      const test = { path, operator, value: JSON.stringify(expected) }
      const fault = jsonFault(JSON.stringify(value), test, json => json)
      return (fault === null) === naive(JSON.parse(JSON.stringify(there)), operator, expected)
    }),
    { numRuns: 2_000 },
  )
})

/** Whether a value that is there is as the operator wants it. */
function naive(there: unknown, operator: string, expected: unknown): boolean {
  const bySize = typeof there === 'number' && typeof expected === 'number'
  const sorted = (value: unknown): unknown =>
    JSON.stringify(value, (_, each) =>
      each !== null && typeof each === 'object' && !Array.isArray(each) ? { members: Object.entries(each).sort() } : each,
    )
  if (operator === 'exists' || operator === 'missing') return operator === 'exists'
  if (operator === 'eq' || operator === 'neq') return (sorted(there) === sorted(expected)) === (operator === 'eq')
  if (!bySize) return false
  return { gt: there > expected, gte: there >= expected, lt: there < expected, lte: there <= expected }[operator] === true
}

t.test('JSON that is not as expected says what it is', async t => {
  const answer = '{"status": "down", "load": 0.5, "n": null, "list": [1, 2]}'
  const cases: [test: Partial<JsonTest>, fault: string | null][] = [
    [{ path: '$.status', value: 'up' }, '$.status is "down", expected eq up'],
    [{ path: '$.status', value: '"down"' }, null],
    [{ path: '$.status', value: 'down' }, null],
    [{ path: '$.status', operator: 'neq', value: 'down' }, '$.status is "down", expected neq down'],
    [{ path: '$.load', operator: 'lt', value: '0.5' }, '$.load is 0.5, expected lt 0.5'],
    [{ path: '$.load', operator: 'lte', value: '0.5' }, null],
    [{ path: '$.status', operator: 'gt', value: '1' }, '$.status is "down", expected gt 1'],
    [{ path: '$.load', value: '0.50' }, null],
    [{ path: '$.load', value: '"0.5"' }, '$.load is 0.5, expected eq "0.5"'],
    [{ path: '$.list', value: '[1,2]' }, null],
    [{ path: '$.n', value: 'null' }, null],
    [{ path: '$.n', operator: 'exists' }, null],
    [{ path: '$.n', operator: 'missing' }, '$.n is there'],
    [{ path: '$.x', operator: 'exists' }, '$.x is missing'],
    [{ path: '$.x', operator: 'missing' }, null],
    [{ path: '$.x', operator: 'neq', value: '1' }, '$.x is missing'],
  ]
  for (const [test, fault] of cases) {
    t.equal(
      jsonFault(answer, { path: '$', operator: 'eq', value: '', ...test }, json => json),
      fault,
      JSON.stringify(test),
    )
  }
  for (const text of ['', '<html>', '{"status": "up"', "{'a': 1}"]) {
    t.equal(
      jsonFault(text, { path: '$', operator: 'missing', value: '' }, json => json),
      'answer is not JSON',
      text,
    )
  }
})

t.test('redirect is followed as RFC 9110 and browsers do, and never carries credentials to another origin', async t => {
  const from = 'https://shop.example/a/b?c#d'
  type Case = [
    name: string,
    status: number,
    location: string,
    to: Partial<Omit<Hop, 'url'>> & { url: string },
    hop?: Partial<Hop>,
  ]
  const posted = { method: 'POST', hasBody: true }
  const cases: Case[] = [
    ['an absolute address', 302, 'https://shop.example/x', { url: 'https://shop.example/x', isOwn: true }],
    ['a path', 302, '/x', { url: 'https://shop.example/x' }],
    ['a relative path', 302, 'x', { url: 'https://shop.example/a/x' }],
    ['a query', 302, '?x', { url: 'https://shop.example/a/b?x' }],
    ['a fragment', 302, '#x', { url: 'https://shop.example/a/b?c#x' }],
    ['two dots', 302, '../../x', { url: 'https://shop.example/x' }],
    ['an address without a scheme', 302, '//other.example/x', { url: 'https://other.example/x', isOwn: false }],
    ['the usual port', 302, 'https://shop.example:443/', { url: 'https://shop.example/', isOwn: true }],
    ['another port', 302, 'https://shop.example:444/', { url: 'https://shop.example:444/', isOwn: false }],
    ['a scheme in capitals', 302, 'HTTPS://SHOP.example/x', { url: 'https://shop.example/x', isOwn: true }],
    ['blanks around and inside', 302, ' /x y ', { url: 'https://shop.example/x%20y' }],
    ['bytes of UTF-8', 302, '/sch\xc3\xb6n', { url: 'https://shop.example/sch%C3%B6n' }],
    ['bytes of latin1', 302, '/sch\xf6n', { url: 'https://shop.example/sch%F6n' }],
    ['a name in UTF-8', 302, 'https://b\xc3\xbccher.example/', { url: 'https://xn--bcher-kva.example/' }],
    ['user information', 302, 'https://me:pw@shop.example/', { url: 'https://shop.example/', isOwn: true }],
    ['301 keeps GET', 301, '/x', { url: 'https://shop.example/x', method: 'GET' }],
    ['301 turns POST into GET', 301, '/x', { url: 'https://shop.example/x', method: 'GET', hasBody: false }, posted],
    ['302 turns POST into GET', 302, '/x', { url: 'https://shop.example/x', method: 'GET', hasBody: false }, posted],
    [
      '302 keeps PUT',
      302,
      '/x',
      { url: 'https://shop.example/x', method: 'PUT', hasBody: true },
      { method: 'PUT', hasBody: true },
    ],
    [
      '303 turns PUT into GET',
      303,
      '/x',
      { url: 'https://shop.example/x', method: 'GET', hasBody: false },
      { method: 'PUT', hasBody: true },
    ],
    ['303 keeps HEAD', 303, '/x', { url: 'https://shop.example/x', method: 'HEAD', hasBody: false }, { method: 'HEAD' }],
    ['307 keeps POST and its body', 307, '/x', { url: 'https://shop.example/x', ...posted }, posted],
    ['308 keeps POST and its body', 308, '/x', { url: 'https://shop.example/x', ...posted }, posted],
    [
      '303 with a body to another origin',
      303,
      'https://other.example/',
      { url: 'https://other.example/', isOwn: false, hasBody: false },
      posted,
    ],
    [
      'a way back',
      302,
      'https://shop.example/',
      { url: 'https://shop.example/', isOwn: false },
      { url: new URL('https://other.example/'), isOwn: false },
    ],
    ['a way on after leaving', 302, '/x', { url: 'https://shop.example/x', isOwn: false }, { isOwn: false }],
  ]
  const start: Hop = { url: new URL(from), method: 'GET', hasBody: false, isOwn: true }
  const rules = { redirects: 5, verify: true }
  for (const [name, statusCode, location, { url, ...to }, hop] of cases) {
    const next = nextHop({ ...start, ...hop }, { statusCode, location }, 4, rules)
    t.match(typeof next === 'string' ? next : { ...next, url: next.url.href }, { ...to, url }, name)
  }
  const other = 'redirected to another origin, which must not get the body'
  const refused: [
    name: string,
    location: string,
    fault: string,
    hop?: Partial<Hop>,
    rules?: { verify?: boolean; redirects?: number },
  ][] = [
    ['no address', '', 'redirect without a usable address'],
    ['another scheme', 'mailto:me@shop.example', 'redirect without a usable address'],
    ['an app', 'intent://shop', 'redirect without a usable address'],
    ['no host', 'https://', 'redirect without a usable address'],
    ['a port that is none', 'https://shop.example:99999/', 'redirect without a usable address'],
    ['an endless address', `/${'x'.repeat(8_192)}`, 'redirect without a usable address'],
    ['https to http', 'http://shop.example/', 'redirected from https to http'],
    ['a body to another host', 'https://other.example/', other, posted],
    ['a body to another port', 'https://shop.example:444/', other, posted],
    ['a body to another scheme', 'http://shop.example/', other, posted, { verify: false }],
    ['too many', '/x', 'more than 4 redirects', {}, { redirects: 4 }],
    ['too many and unusable', '', 'more than 4 redirects', {}, { redirects: 4 }],
  ]
  for (const [name, location, fault, hop, given] of refused) {
    t.equal(nextHop({ ...start, ...hop }, { statusCode: 307, location }, 4, { ...rules, ...given }), fault, name)
  }
  const down = nextHop(start, { statusCode: 302, location: 'http://shop.example/' }, 0, { ...rules, verify: false })
  t.match(down, { isOwn: false }, 'https to http is allowed if certificates are not verified')
})

t.test('each row of the page about other monitors has answers that the Template takes', async t => {
  const page = readFileSync('docs/checks-from-others.md', 'utf8')
  const rows = page.split('\n').filter(line => /^\| `/.test(line))
  t.ok(rows.length >= 55)
  for (const row of rows) {
    const [, template = 'http-check', meta = 'none'] = /\| (?:`([a-z-]+)`: )?`(\{.*\})`[^`]*\|$/.exec(row) ?? []
    const options = JSON.parse(meta)
    const found = findSystemTemplate(template) as Template
    const sent = { ...(template === 'http-check' ? asked : {}), ...options, locations: asked.locations }
    t.ok(readAnswers(found, sent), row)
  }
})
