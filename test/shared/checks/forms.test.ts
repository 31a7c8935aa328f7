// Forms of texts in the fields of checks: which texts each accepts, what they mean, and the sentence about one that is refused.
import t from 'tap'
import { readCheckAnswers } from '#shared/checks/check-answers.ts'
import { checkField, type TextForm } from '#shared/checks/check-field.ts'
import type { CheckKind } from '#shared/checks/check-kind.ts'
import { faultOf } from '#shared/checks/field-values.ts'
import { tcp } from '#shared/checks/tcp/tcp.ts'
import { tls } from '#shared/checks/tls/tls.ts'
import { parseEndpoint, parseHost, parseHostPort } from '#shared/net/host-port.ts'
import { unescaped } from '#shared/text/escapes.ts'
import { certificates } from '../../prober/certificates.ts'

const { good, expired, selfSigned, key } = certificates
const times = (count: number, text: string) => Array.from({ length: count }, () => text).join('\n')

const forms: Partial<Record<TextForm, { accepted: string[]; refused: string[] }>> = {
  host: {
    accepted: [
      'shop.example',
      'localhost',
      'cuckoo',
      'shop.example.',
      'a_b.example',
      'Übermut.example',
      '192.0.2.1',
      '::1',
      '[2001:db8::1]',
    ],
    refused: [
      ...[
        '',
        ' ',
        'shop.example:80',
        'http://shop.example',
        'shop.example/',
        'me@shop.example',
        'a b',
        'a\nb',
        'a..b',
        '.',
        '.a',
      ],
      ...[
        '::1::',
        '[shop.example]',
        '[::1',
        '1.2.3.4.5',
        '999.1.1.1',
        'fe80::1%eth0',
        'a%62',
        '*.*:1',
        `${'a'.repeat(64)}.example`,
      ],
      ...[`${'abc.'.repeat(63)}ab`],
    ],
  },
  'host name': {
    accepted: ['shop.example', 'cuckoo', '1.example', 'Übermut.example'],
    refused: ['', '192.0.2.1', '::1', '[::1]', '2130706433', 'shop.example:443'],
  },
  endpoint: {
    accepted: [
      ...[
        'shop.example',
        'shop.example:8443',
        '192.0.2.1:1',
        '[::1]:65535',
        '::1',
        'https://shop.example',
        'http://shop.example/a?b',
      ],
    ],
    refused: [
      ...[
        '',
        'shop.example:0',
        'shop.example:65536',
        'shop.example:',
        'shop.example:x',
        ':443',
        '::1:443x',
        'ftp://shop.example',
      ],
      ...['https://me:secret@shop.example', 'https://me@shop.example', 'https://', 'shop.example/path', 'a b:1'],
    ],
  },
  escaped: {
    accepted: ['', 'PING\\r\\n', '\\x00\\xfF', '\\\\', 'grüße', 'a\nb', '\\\\x'],
    refused: ['\\', '\\x0', '\\xg0', '\\0', '\\u0041', 'a\\', '\\X41', '\\\\\\'],
  },
  certificates: {
    accepted: [good, `# a name\n${good}\n\n${expired}\n`, times(8, selfSigned), good.replaceAll('\n', '\r\n')],
    refused: [
      ...['', 'no certificate', times(9, selfSigned), key, `${good}\n${key}`, good.slice(0, 300), good.replace('MII', 'MIJ')],
      ...[good.replaceAll('CERTIFICATE', 'TRUSTED CERTIFICATE'), `-----BEGIN CERTIFICATE-----\n-----END CERTIFICATE-----`],
    ],
  },
}
for (const [form, { accepted, refused }] of Object.entries(forms)) {
  t.test(`form ${form}`, async t => {
    const stated = { key: 'x', type: 'text', label: 'X', characters: 16_384 } as const
    const field = checkField({ ...stated, form: form as TextForm })
    for (const text of accepted) t.equal(faultOf(field, text), null, JSON.stringify(text.slice(0, 60)))
    for (const text of refused) t.match(faultOf(field, text), /^must /, JSON.stringify(text.slice(0, 60)))
    t.equal(faultOf(checkField({ ...stated, form: form as TextForm, default: '' }), ''), null, 'the default is always accepted')
  })
}

t.test('host is what a URL makes of it', async t => {
  const hosts = [...['Shop.Example', 'Übermut.example', '[2001:DB8::0:1]', '::ffff:192.0.2.1', '0x7f.1', 'shop.example.']]
  const found = ['shop.example', 'xn--bermut-2ya.example', '2001:db8::1', '::ffff:c000:201', '127.0.0.1', 'shop.example.']
  t.strictSame(hosts.map(parseHost), found)
  t.strictSame(
    ['shop.example', 'shop.example:25', '[::1]:25', '::1', '[::1]'].map(text => parseHostPort(text, 443)),
    [
      { hostname: 'shop.example', port: 443 },
      { hostname: 'shop.example', port: 25 },
      { hostname: '::1', port: 25 },
      { hostname: '::1', port: 443 },
      { hostname: '::1', port: 443 },
    ],
  )
  t.strictSame(
    ['shop.example', 'https://Shop.example:8443/x', 'http://[::1]/', 'https://shop.example'].map(text => parseEndpoint(text, 25)),
    [
      { isPlain: false, hostname: 'shop.example', port: 25 },
      { isPlain: false, hostname: 'shop.example', port: 8_443 },
      { isPlain: true, hostname: '::1', port: 80 },
      { isPlain: false, hostname: 'shop.example', port: 443 },
    ],
  )
})

t.test('escapes stand for bytes, everything else for itself in UTF-8', async t => {
  t.strictSame(unescaped('a\\r\\n\\t\\\\\\x00\\xfFü'), Uint8Array.from([97, 13, 10, 9, 92, 0, 255, 0xc3, 0xbc]))
})

const watched = { locations: ['aaaa'] }
const refusals: [name: string, kind: CheckKind, answers: Record<string, unknown>, message: string][] = [
  [
    'a URL with a password',
    tls,
    { target: 'https://a:b@c/' },
    "Field 'target' must be a host, host:port or a URL without user information, of at most 2048 characters",
  ],
  [
    'a name that is an address',
    tls,
    { target: 'a', server_name: '1.2.3.4' },
    "Field 'server_name' must be a host name of at most 253 characters",
  ],
  ['days beyond a year', tls, { target: 'a', days: 366 }, "Field 'days' must be a whole number, 0 to 365"],
  ['a long timeout', tls, { target: 'a', timeout_seconds: 61 }, "Field 'timeout_seconds' must be a whole number, 1 to 60"],
  ['an unknown family', tls, { target: 'a', ip_family: '5' }, "Field 'ip_family' must be one of any, 4, 6"],
  [
    'an authority that is none',
    tls,
    { target: 'a', authority: 'x' },
    "Field 'authority' must hold 1 to 8 certificates in PEM, and nothing else in PEM, of at most 16384 characters in all",
  ],
  [
    'a host with a port',
    tcp,
    { host: 'a:1', port: 1 },
    "Field 'host' must be a host name or an IP address of at most 253 characters",
  ],
  ['port 0', tcp, { host: 'a', port: 0 }, "Field 'port' must be a whole number, 1 to 65535"],
  ['no port', tcp, { host: 'a' }, "Field 'port' is required"],
  [
    'a wrong escape',
    tcp,
    { host: 'a', port: 1, send: '\\q' },
    "Field 'send' must have at most 1024 bytes, with no other escapes than \\r, \\n, \\t, \\\\ and \\x00 to \\xff",
  ],
  [
    'more bytes than may be sent',
    tcp,
    { host: 'a', port: 1, send: '\\x00'.repeat(1_025) },
    "Field 'send' must have at most 1024 bytes, with no other escapes than \\r, \\n, \\t, \\\\ and \\x00 to \\xff",
  ],
  ['a long text', tcp, { host: 'a', port: 1, expect: 'x'.repeat(1_025) }, "Field 'expect' must have at most 1024 characters"],
]
for (const [name, kind, answers, message] of refusals) {
  t.test(`${kind.key} refuses ${name}`, async t => {
    t.throws(() => readCheckAnswers(kind, { ...answers, ...watched }, null), { message })
  })
}

t.test('longest answers are accepted, and bytes are counted as they are sent', async t => {
  const most = { host: 'a', port: 65_535, send: '\\xff'.repeat(1_024), expect: 'ü'.repeat(1_024) }
  t.match(readCheckAnswers(tcp, { ...most, ...watched }, null), most)
})

t.test('what people see of a check has no path, no query and no text that is sent', async t => {
  const shown = (kind: CheckKind, answers: Record<string, unknown>) =>
    kind.shown(readCheckAnswers(kind, { ...answers, ...watched }, null))
  const open = { url: '' }
  t.strictSame(
    [
      shown(tls, { target: 'https://shop.example/a?token=b' }),
      shown(tls, { target: 'shop.example:8443' }),
      shown(tls, { target: '::1' }),
      shown(tcp, { host: 'db.example', port: 5_432, send: 'PASS x' }),
      shown(tcp, { host: '::1', port: 22 }),
    ],
    [
      { ...open, method: 'TLS', target: 'shop.example', host: 'shop.example' },
      { ...open, method: 'TLS', target: 'shop.example:8443', host: 'shop.example:8443' },
      { ...open, method: 'TLS', target: '[::1]', host: '[::1]' },
      { ...open, method: 'TCP', target: 'db.example:5432', host: 'db.example:5432' },
      { ...open, method: 'TCP', target: '[::1]:22', host: '[::1]:22' },
    ],
  )
})
