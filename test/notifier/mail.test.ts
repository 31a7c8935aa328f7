// Mails through real mail servers: what the server is given, by which connection, and what each of its replies means (v3 10.14).
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import fc from 'fast-check'
import { SMTPServer, type SMTPServerOptions } from 'smtp-server'
import t, { type Test } from 'tap'
import { channelOf } from '#shared/channels/registry.ts'
import { shapeOf } from '#shared/channels/settings.ts'
import { withoutValues } from '#shared/channels/slots.ts'
import type { Egress } from '#shared/net/egress.ts'
import { isMailAddress } from '#shared/net/mail-address.ts'
import { parseMailServer } from '#shared/net/smtp-url.ts'
import { messageTo } from '../../services/notifier/send/message.ts'
import { createSender } from '../../services/notifier/send/send.ts'
import type { SenderOptions } from '../../services/notifier/send/sender.ts'
import { createVirtualClock } from '../support/virtual-clock.ts'
import { alert, destination, facts, startAt } from './house.ts'

interface Heard {
  to: string[]
  from: string
  text: string
  login: string | null
  isSecure: boolean
}

/** Starts a mail server on loopback. `given` replaces parts of it. */
async function startMailServer(t: Test, given: SMTPServerOptions = {}): Promise<{ port: number; heard: Heard[] }> {
  const heard: Heard[] = []
  const server = new SMTPServer({
    authOptional: true,
    allowInsecureAuth: true,
    disableReverseLookup: true,
    onAuth: ({ username, password }, _session, done) =>
      password === 'p:w' ? done(null, { user: username ?? '' }) : done(new Error('no')),
    onData: (stream, session, done) => {
      const chunks: Buffer[] = []
      stream.on('data', chunk => chunks.push(chunk))
      stream.on('end', () => {
        const { mailFrom, rcptTo } = session.envelope
        heard.push({
          to: rcptTo.map(({ address }) => address),
          from: mailFrom === false ? '' : mailFrom.address,
          text: Buffer.concat(chunks).toString(),
          login: session.user ?? null,
          isSecure: session.secure,
        })
        done()
      })
    },
    ...given,
  })
  server.on('error', () => undefined)
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => new Promise<void>(resolve => server.close(() => resolve())))
  return { port: (server.server.address() as AddressInfo).port, heard }
}

const closed: Egress = { refusal: () => 'closed by the test', isPublic: () => false }
const house = { server: '', from: '' }

async function send(
  t: Test,
  settings: Record<string, string | string[]>,
  options: Partial<SenderOptions> = {},
  stop = AbortSignal.timeout(20_000),
) {
  const sender = createSender({
    ...{ clock: createVirtualClock(startAt), version: '2.0.0', serviceUrl: 'https://status.example.com' },
    ...{ mail: house, ...options },
  })
  t.teardown(() => sender.close())
  const channel = channelOf('email')
  const given = destination('one', '', { type: 'email', settings: { to: ['ops@example.com'], ...settings } })
  const about = { alert: alert('one', 'incident', 1, { facts: { ...facts, subjectName: 'Shop <b>&' } }), incident: 'INCIDENT' }
  const links = { subject: 'https://status.example.com/subjects/s1' }
  const request = channel.render({ ...about, locationName: id => id }, 'problem', shapeOf(channel, given), links)
  if (request === null) throw new Error('nothing to say')
  const marks = { idempotencyKey: 'msg_1', madeAt: startAt, signature: null }
  const outcome = await sender.send(messageTo(channel, given, request, marks), stop)
  return { outcome, request }
}

const own = (port: number, more = '?starttls=never') => ({
  server: `smtp://127.0.0.1:${port}/${more}`,
  from: 'watch@example.org',
})

t.test('mail has the words of the message as text and HTML, and the headers that keep it in its thread (v3 10.14)', async t => {
  const { port, heard } = await startMailServer(t)
  const { outcome, request } = await send(t, { ...own(port), to: ['ops@example.com', 'boss@example.com'] })
  t.strictSame(outcome, { kind: 'delivered', isAccepted: true })
  const [mail] = heard
  t.match(mail, { to: ['ops@example.com', 'boss@example.com'], from: 'watch@example.org', login: null, isSecure: false })
  const text = mail?.text ?? ''
  for (const header of [
    /^Subject: Shop <b>& is down\r$/m,
    /^To: ops@example\.com, boss@example\.com\r$/m,
    /^Message-ID: <msg_1@example\.org>\r$/m,
    /^References: <incident\.INCIDENT@example\.org>\r$/m,
    /^In-Reply-To: <incident\.INCIDENT@example\.org>\r$/m,
    /^Auto-Submitted: auto-generated\r$/m,
    /^X-Auto-Response-Suppress: All\r$/m,
  ]) {
    t.match(text, header)
  }
  t.match(text, /connection refused/)
  t.match(text, /^Content-Type: text\/html/m)
  t.match(request.mail?.html, /<h1 [^>]*>Shop &lt;b&gt;&amp; is down<\/h1>/)
  t.notMatch(JSON.stringify(request), /ops@example|watch@example|127\.0\.0\.1/, 'nothing is stored of where it goes')
})

t.test('server of the installation is used if the destination has none, and its login with TLS', async t => {
  const { port, heard } = await startMailServer(t)
  const server = `smtp://me:p%3Aw@127.0.0.1:${port}?starttls=never`
  t.match((await send(t, {}, { mail: { server, from: 'house@example.org' } })).outcome, { kind: 'delivered', isAccepted: true })
  t.match(heard, [{ from: 'house@example.org', login: 'me' }])
  t.match((await send(t, {})).outcome, {
    kind: 'refused',
    retryable: false,
    error: /^not_sent: there is no mail server: set SMTP_URL/,
  })
})

t.test('connection is not used without TLS unless the address says so, nor with a certificate that is not trusted', async t => {
  const plain = await startMailServer(t, { disabledCommands: ['STARTTLS'] })
  t.match((await send(t, own(plain.port, ''))).outcome, {
    retryable: false,
    error: 'not_sent: the mail server offers no STARTTLS',
  })
  t.strictSame(plain.heard, [])
  const selfSigned = await startMailServer(t)
  t.match((await send(t, own(selfSigned.port, ''))).outcome, { retryable: true, error: /^unreachable: / })
  t.strictSame(selfSigned.heard, [])
})

t.test('reply of the server says whether another attempt may help', async t => {
  const refusing = (code: number, response: string) => (_: unknown, _session: unknown, done: (error: Error) => void) =>
    done(Object.assign(new Error(response), { responseCode: code }))
  for (const [code, retryable] of [
    [421, true],
    [451, true],
    [550, false],
    [552, false],
  ] as const) {
    const { port } = await startMailServer(t, { onRcptTo: refusing(code, 'no such user') })
    t.match(
      (await send(t, own(port))).outcome,
      { kind: 'refused', retryable, error: new RegExp(`^smtp_${code}: .*no such user`) },
      `${code}`,
    )
  }
  const { port } = await startMailServer(t)
  const wrong = { server: `smtp://me:hunter2hunter2@127.0.0.1:${port}/?starttls=never`, from: 'watch@example.org' }
  const { outcome } = await send(t, wrong)
  t.match(outcome, { kind: 'refused', retryable: false, error: /^smtp_535: / })
  t.notMatch(JSON.stringify(outcome), /hunter2/)
})

t.test('server that is closed by EGRESS rules, gone or silent gets no mail', async t => {
  t.match((await send(t, own(25), { egress: closed })).outcome, {
    error: /^not_sent: EGRESS rules/,
  })
  t.match((await send(t, own(1))).outcome, { retryable: true, error: 'unreachable: connection refused' })
  const cutting = createServer(socket => socket.end())
  cutting.listen(0, '127.0.0.1')
  await once(cutting, 'listening')
  t.teardown(() => cutting.close())
  t.match((await send(t, own((cutting.address() as AddressInfo).port))).outcome, { retryable: true, error: /^unreachable: / })
})

t.test('attempt that is stopped leaves no connection', async t => {
  const silent = createServer()
  silent.listen(0, '127.0.0.1')
  await once(silent, 'listening')
  t.teardown(() => silent.close())
  const stop = new AbortController()
  const sending = send(t, own((silent.address() as AddressInfo).port), {}, stop.signal)
  const [socket] = await once(silent, 'connection')
  stop.abort()
  t.strictSame((await sending).outcome, { kind: 'abandoned' })
  socket.resume()
  await once(socket, 'close')
})

t.test('words of others make no header and no markup, whatever they are', async () => {
  const { render } = channelOf('email')
  const links = { subject: 'https://status.example.com/subjects/s1' }
  const others = fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom('a\r\nBcc: x@y.z', '<script>', '"&quot;', '\u202e'))
  fc.assert(
    fc.property(others, others, (subjectName, error) => {
      const given = alert('one', 'incident', 1, { facts: { ...facts, subjectName, error } })
      const request = render({ alert: given, incident: 'INCIDENT', locationName: id => id }, 'problem', {}, links)
      const { subject = '', html = '' } = request?.mail ?? {}
      if (/[\p{Cc}\p{Cf}]/u.test(subject)) throw new Error('a header of its own')
      const tags =
        withoutValues(html)
          .match(/<[^>]*>/g)
          ?.map(tag => /^<[!/]?\w+/.exec(tag)?.[0]) ?? []
      const own = new Set([
        '<!doctype',
        '<html',
        '<body',
        '<div',
        '<h1',
        '</h1',
        '<p',
        '</p',
        '<a',
        '</a',
        '</div',
        '</body',
        '</html',
      ])
      if (!tags.every(tag => own.has(tag ?? ''))) throw new Error(`markup of others: ${tags}`)
    }),
  )
})

t.test('address of a mail server is read in its parts', async t => {
  t.strictSame(parseMailServer('smtp://me%40x:p%2Fw@mail.example.com'), {
    ...{ hostname: 'mail.example.com', port: 587, isSecure: false, startTls: 'required' },
    login: { user: 'me@x', password: 'p/w' },
  })
  t.match(parseMailServer('smtps://mail.example.com:2465/'), { port: 2465, isSecure: true, login: null })
  for (const text of ['http://x', 'smtp://', 'smtp://x/path', 'smtp://x?a=1', 'smtp://x?starttls=no', 'x', 'smtp://x#y']) {
    t.equal(parseMailServer(text), null, text)
  }
})

t.test('address of a mailbox is one', async t => {
  for (const text of ['a@example.com', "o'neil+x.y@sub.example.com", 'jörg@bücher.example']) t.ok(isMailAddress(text), text)
  for (const text of [
    'a',
    '@b.c',
    'a@',
    'a b@c.d',
    '.a@b.c',
    'a..b@c.d',
    'a@1.2.3.4',
    'A <a@b.c>',
    `${'x'.repeat(65)}@b.c`,
    'a@b.c\n',
  ]) {
    t.notOk(isMailAddress(text), text)
  }
})
