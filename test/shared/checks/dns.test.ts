// Judgement of a name server's answer against a plain evaluation, and the one form of records.
import fc from 'fast-check'
import t from 'tap'
import type { DnsAnswers } from '#shared/checks/dns/fields.ts'
import { judgeAnswer } from '#shared/checks/dns/judge.ts'
import { recordForm } from '#shared/checks/dns/record-form.ts'
import { asciiName } from '#shared/net/domain-name.ts'
import { nameServerText, readNameServer } from '#shared/net/name-server.ts'

const numbers = { minLength: 0, maxLength: 4 }
/** Hosts as people and servers write them, by the host that they are. */
const written: Record<string, string[]> = {
  '10 a.example': ['10 a.example', '10  A.example.', ' 010 a.EXAMPLE '],
  '10 b.example': ['10 b.example', '10 b.example.'],
  '20 a.example': ['20 a.example', '20 A.Example'],
}
const meant = fc.constantFrom(...Object.keys(written))
const asWritten = (host: string) => fc.constantFrom(...(written[host] as string[]))
const options = fc.record({
  match: fc.constantFrom('all' as const, 'any' as const, 'exact' as const),
  rcode: fc.constantFrom('NOERROR' as const, 'NXDOMAIN' as const),
  expected: fc.array(
    meant.chain(host => asWritten(host).map(text => ({ host, text }))),
    numbers,
  ),
})
const answer = fc.record({
  rcode: fc.constantFrom('NOERROR', 'NXDOMAIN', 'SERVFAIL', 'REFUSED'),
  records: fc.array(meant, numbers),
})

t.test('judgement agrees with a plain one', async t => {
  const seen = new Map<string, number>()
  fc.assert(
    fc.property(options, answer, ({ match, rcode, expected }, answered) => {
      const texts = expected.map(each => each.text)
      const hosts = expected.map(each => each.host)
      const fault = judgeAnswer({ record: 'MX', match, rcode, expected: texts }, answered)
      const plain = plainly(match, rcode, hosts, answered)
      seen.set(plain, (seen.get(plain) ?? 0) + 1)
      return kindOfFault(fault) === plain
    }),
    { numRuns: 2_000 },
  )
  t.strictSame([...seen.keys()].sort(), ['code', 'fine', 'missing', 'none', 'unknown'], 'every kind of fault was generated')
})

/** Counts each host on both sides, one after the other. */
function plainly(match: string, rcode: string, expected: string[], answered: { rcode: string; records: string[] }): string {
  if (answered.rcode === 'NXDOMAIN' && rcode !== 'NXDOMAIN') return 'unknown'
  if (answered.rcode !== rcode) return 'code'
  if (rcode === 'NXDOMAIN') return 'fine'
  if (answered.records.length === 0) return 'none'
  if (expected.length === 0) return 'fine'
  let there = 0
  for (const host of expected) for (const record of new Set(answered.records)) if (host === record) there++
  let surplus = 0
  for (const record of answered.records) if (expected.indexOf(record) < 0) surplus++
  const isFine = match === 'any' ? there > 0 : there === expected.length && (match === 'all' || surplus === 0)
  return isFine ? 'fine' : 'missing'
}

function kindOfFault(fault: string | null): string {
  if (fault === null) return 'fine'
  if (fault === 'name does not exist') return 'unknown'
  if (fault === 'no MX record') return 'none'
  return fault.startsWith('server answered ') ? 'code' : fault.startsWith('MX is ') ? 'missing' : fault
}

t.test('each record has one form, and the form of a form is itself', async t => {
  const forms: [record: DnsAnswers['record'], text: string, form: string][] = [
    ['A', ' 192.0.2.1 ', '192.0.2.1'],
    ['AAAA', '2001:0DB8:0:0:0:0:0:1', '2001:db8::1'],
    ['AAAA', '::ffff:192.0.2.1', '::ffff:192.0.2.1'],
    ['CNAME', 'Shop.Example.', 'shop.example'],
    ['MX', '010\tMail.example.', '10 mail.example'],
    ['MX', '0 .', '0 .'],
    ['SRV', '0 5 443 Host.example.', '0 5 443 host.example'],
    ['SOA', 'NS1.example. 2026112900', 'ns1.example 2026112900'],
    ['CAA', '0 ISSUE "ca.example; a=b"', '0 issue "ca.example; a=b"'],
    ['CAA', '128 issuewild ;', '128 issuewild ";"'],
    ['CAA', 'no record', 'no record'],
    ['TXT', ' "As It Is." ', ' "As It Is." '],
  ]
  for (const [record, text, form] of forms) {
    t.equal(recordForm(record, text), form)
    t.equal(recordForm(record, form), form)
  }
})

t.test('addresses of name servers are read in every form, and written in the shortest', async t => {
  const read: [text: string, written: string | null][] = [
    ['192.0.2.53', '192.0.2.53'],
    ['192.0.2.53:53', '192.0.2.53'],
    ['192.0.2.53:5353', '192.0.2.53:5353'],
    ['2001:db8::53', '2001:db8::53'],
    ['[2001:db8::53]', '2001:db8::53'],
    ['[2001:db8::53]:5353', '[2001:db8::53]:5353'],
    ['[192.0.2.53]:53', null],
    ['2001:db8::53:5353:99999', null],
    ['192.0.2.53:65536', null],
    ['192.0.2.53:', null],
    ['ns1.example', null],
    ['', null],
  ]
  for (const [text, written] of read) {
    const server = readNameServer(text)
    t.equal(server && nameServerText(server), written, text)
  }
})

t.test('names are read in every alphabet, and told from what is none', async t => {
  t.strictSame(
    [
      'Shop.example.',
      'bücher.example',
      '_dmarc.x',
      '*.x',
      'a b',
      'a..b',
      '.',
      '',
      '192.0.2.1',
      'http://x',
      `${'x'.repeat(64)}.x`,
    ].map(asciiName),
    ['shop.example', 'xn--bcher-kva.example', '_dmarc.x', '*.x', ...Array(7).fill(null)],
  )
  t.equal(asciiName(`${'x.'.repeat(126)}x`)?.length, 253)
  t.equal(asciiName(`${'x.'.repeat(126)}xx`), null)
})
