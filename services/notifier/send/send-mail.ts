// Sender of one mail: a connection to the mail server through the egress rules, one transaction, and the outcome by the server's reply. The
// library is loaded at the first mail.
import { connect, isIP, type Socket } from 'node:net'
import { createTransport, type NodemailerError } from 'nodemailer'
import { oneLine } from '#shared/channels/message/one-line.ts'
import { limits } from '#shared/limits/limits.ts'
import { createEgress, permitted } from '#shared/net/egress.ts'
import type { Resolve } from '#shared/net/resolve.ts'
import { type MailServer, parseMailServer } from '#shared/net/smtp-url.ts'
import { redactedText } from '#shared/secrecy/redacted-text.ts'
import { guardedLookup } from './guarded-lookup.ts'
import { failed, notSent, type Outcome, unreachable } from './outcome.ts'
import { redactAddress } from './redact.ts'
import type { Mail, Message, SenderOptions } from './sender.ts'

type MailOptions = SenderOptions & { resolve: Resolve }

/** Resolves with the outcome. When the signal fires, the connection is closed. */
export async function sendMail(message: Message, mail: Mail, signal: AbortSignal, options: MailOptions): Promise<Outcome> {
  const address = message.url || options.mail?.server || ''
  const server = parseMailServer(address)
  const from = mail.from || options.mail?.from || ''
  if (server === null || from === '')
    return notSent('there is no mail server: set SMTP_URL and SMTP_FROM, or those of the destination')
  let socket: Socket | null = null
  const transport = createTransport({
    host: server.hostname,
    port: server.port,
    secure: server.isSecure,
    requireTLS: server.startTls === 'required',
    ignoreTLS: server.startTls === 'never',
    ...(server.login === null ? {} : { auth: { user: server.login.user, pass: server.login.password } }),
    ...(isIP(server.hostname) === 0 ? { tls: { servername: server.hostname } } : {}),
    connectionTimeout: limits.notifier.sendMs,
    greetingTimeout: limits.notifier.sendMs,
    socketTimeout: limits.notifier.sendMs,
    disableFileAccess: true,
    disableUrlAccess: true,
    getSocket: (_, done) => {
      try {
        socket = open(server, options, done)
      } catch (error) {
        done(error as Error)
      }
    },
  })
  const close = () => {
    socket?.destroy()
    transport.close()
  }
  signal.addEventListener('abort', close, { once: true })
  try {
    await transport.sendMail(contentOf(message, mail, from))
    return { kind: 'delivered', isAccepted: true }
  } catch (error) {
    return outcomeOf(error, text => secretsOf(server, address).reduce(redactAddress, redactedText(text)))
  } finally {
    signal.removeEventListener('abort', close)
    close()
  }
}

function contentOf({ body }: Message, { id, to, subject, html, incident }: Mail, from: string) {
  const domain = from.slice(from.lastIndexOf('@') + 1)
  const thread = `<incident.${incident}@${domain}>`
  return {
    ...{ from, to: [...to], subject, text: body, html },
    messageId: `<${id}@${domain}>`,
    ...{ references: thread, inReplyTo: thread },
    headers: { 'Auto-Submitted': 'auto-generated', 'X-Auto-Response-Suppress': 'All' },
  }
}

const secretsOf = ({ login }: MailServer, address: string): string[] =>
  login === null ? [address] : [address, login.user, login.password]

type Opened = (error: Error | null, opened?: { connection: Socket }) => void

/**
 * Opens a connection to an address that the egress rules permit. Returns the socket at once, so that the attempt can end before it is
 * connected. Throws an EgressError for a closed address that is not a name.
 */
function open({ hostname, port }: MailServer, { resolve, egress = createEgress() }: MailOptions, done: Opened): Socket {
  const guarded = (found: readonly string[]) => permitted(egress, found, port)
  if (isIP(hostname) !== 0) guarded([hostname])
  const socket = connect({ host: hostname, port, lookup: guardedLookup(resolve, guarded) })
  socket.once('error', done)
  socket.once('connect', () => {
    socket.off('error', done)
    done(null, { connection: socket })
  })
  return socket
}

/** `redacted` hides the server's address and login in its reply. */
function outcomeOf(error: unknown, redacted: (text: string) => string): Outcome {
  const { responseCode, response = '', code = '', message = '' } = error as Partial<NodemailerError>
  if (responseCode === undefined || code === 'ETLS') return withoutReply(error, code, message)
  const said = oneLine(redacted(response), limits.notifier.quoteCharacters)
  return {
    kind: 'refused',
    retryable: responseCode < 500,
    answered: true,
    error: `smtp_${responseCode}: the mail server answered ${said === '' ? responseCode : `"${said}"`}`,
    retryAfterMs: null,
  }
}

/** `code`: of the library, or of the connection. */
function withoutReply(error: unknown, code: string, message: string): Outcome {
  if (code === 'ETLS') return notSent('the mail server offers no STARTTLS')
  if (/certificate|altnames|ssl|tls/i.test(message)) return unreachable('no secure connection to the mail server')
  return code === 'ECONNECTION' || code === 'ESOCKET' ? unreachable('the mail server closed the connection') : failed(error)
}
