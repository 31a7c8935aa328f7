// Reasons of failed checks as sentences for people. The judgements of a kind (shared/checks) have their own sentences. A sentence never contains
// the credentials of a URL. The only data from the server in a sentence are the status and the dates of the certificate.

import { chainExpired, expired, notYetValid } from '#shared/checks/certificate-words.ts'
import type { StatusRange } from '#shared/checks/http/statuses.ts'
import { limits } from '#shared/limits/limits.ts'
import { EgressError } from '#shared/net/egress.ts'
import { cut } from '#shared/text/plain-text.ts'
import { chainIncomplete, clientCertificateWanted, tooWeak } from './certificate.ts'
import { CertificateError, type ConnectionTarget, familyLacking } from './connection.ts'
import type { AnswerFault } from './http/answer.ts'

/** Phase in which a check failed. */
export type Phase = 'name' | 'connect' | 'handshake' | 'answer' | 'body'

const onlyHttp2 = 'the server speaks only HTTP/2'

const bySocketCode: Record<string, string> = {
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'connection reset',
  EPIPE: 'connection reset',
  ETIMEDOUT: 'connection timed out',
  EHOSTUNREACH: 'host is unreachable',
  ENETUNREACH: 'network is unreachable',
  EAFNOSUPPORT: 'network is unreachable',
  EADDRNOTAVAIL: 'no free local port or address to connect from',
  EMFILE: 'the prober has too many open files',
  ENFILE: 'the prober has too many open files',
  EACCES: 'connecting to this address is not permitted',
  EPERM: 'connecting to this address is not permitted',
}

/** Failures of a TLS connection that have a sentence of their own, in whichever phase they show. */
const byTlsCode: Record<string, string> = {
  [clientCertificateWanted]: 'the server wants a client certificate',
  ERR_SSL_TLSV1_ALERT_NO_APPLICATION_PROTOCOL: onlyHttp2,
}

const selfSigned = new Set(['DEPTH_ZERO_SELF_SIGNED_CERT'])
const unknownAuthority = new Set([
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'CERT_UNTRUSTED',
])

export const sentences = {
  unsendable: 'the request cannot be sent as it is configured',
  closedInHandshake: 'connection closed during the TLS handshake',
  closedBefore: 'connection closed without an answer',
  closedWithin: 'connection closed before the answer was complete',
  noCertificate: 'the server has shown no certificate',
  undecodable: 'body cannot be decoded',
} as const

/** Reasons of "answer is not HTTP". */
const notHttp: Readonly<Record<Exclude<AnswerFault, 'http2' | 'too large'> | 'interim', string>> = {
  start: 'it does not begin with "HTTP/"',
  version: 'its version is unknown',
  status: 'it has no status of three digits',
  colon: 'a header has no colon',
  'null byte': 'a header has a null byte',
  blank: 'its first header begins with a blank',
  length: 'its Content-Length is no number',
  chunk: 'a chunk has no valid size',
  upgrade: 'it changes the protocol',
  interim: 'interim answers do not end',
}

/** Returns the sentence for bytes that are no valid response. */
export function answerSentence(fault: AnswerFault | 'interim'): string {
  if (fault === 'too large') return 'answer headers are too large'
  return fault === 'http2' ? onlyHttp2 : `answer is not HTTP (${notHttp[fault]})`
}

type ErrorTarget = Pick<ConnectionTarget, 'hostname' | 'serverName' | 'ipFamily'>

/** Returns the sentence for a failed connection. `now`: ms since the epoch. */
export function errorSentence(error: Error, phase: Phase, target: ErrorTarget, now: number): string {
  if (error instanceof CertificateError) return certificateSentence(error, target.serverName || target.hostname, now)
  if (error instanceof EgressError) return `Not checked: EGRESS rules close this address. It is ${error.message}.`
  const { code = '', message } = firstOf(error)
  if (byTlsCode[code] !== undefined) return byTlsCode[code]
  if (code === familyLacking) return clean(`host name "${target.hostname}" has no IPv${target.ipFamily} address`)
  if (phase === 'name') return nameSentence(code, target.hostname)
  if (phase === 'handshake' && code !== 'ETIMEDOUT') return tlsSentence(code, message)
  return bySocketCode[code] ?? `connection failed${code === '' ? '' : ` (${code})`}`
}

export function statusSentence(status: number, expected: readonly StatusRange[]): string {
  const texts = expected.map(([from, to]) => (from === to ? `${from}` : `${from}-${to}`))
  return clean(`status ${status}, expected ${[...new Set(texts)].join(' or ')}`)
}

export const bodySentence = (expectedText: string): string => clean(`body does not contain "${cut(expectedText, 101)}"`)

export const unwantedSentence = (text: string): string => clean(`body contains "${cut(text, 101)}"`)

export const patternSentence = (pattern: string): string => clean(`body does not match ${cut(pattern, 101)}`)

export const timeoutSentence = (what: 'connection' | 'TLS handshake' | 'answer', ms: number): string =>
  `no ${what} in ${ms / 1_000} s`

/** Returns one line without control characters, cut to the bound. */
export function clean(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what this removes
  const line = text.replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g, ' ').trim()
  return cut(line, limits.check.errorCharacters)
}

/** Returns the first failure if several addresses were tried, because the first address is the preferred one. */
function firstOf(error: Error): NodeJS.ErrnoException {
  return error instanceof AggregateError && error.errors[0] instanceof Error ? error.errors[0] : error
}

function nameSentence(code: string, hostname: string): string {
  if (code === 'ETIMEOUT' || code === 'EAI_AGAIN') return clean(`name servers do not answer for "${hostname}"`)
  return clean(`host name "${hostname}" not found`)
}

function tlsSentence(code: string, message: string): string {
  if (code === 'ECONNRESET' && message.includes('before secure')) return sentences.closedInHandshake
  if (code === 'ECONNRESET' || code === 'EPIPE') return 'connection reset during the TLS handshake'
  if (code === 'ERR_SSL_WRONG_VERSION_NUMBER' || code === 'ERR_SSL_PACKET_LENGTH_TOO_LONG') return 'answer is not TLS'
  const reason = code
    .replace(/^ERR_SSL_/, '')
    .replaceAll('_', ' ')
    .toLowerCase()
  return clean(`TLS handshake failed${reason === '' ? '' : ` (${reason})`}`)
}

function certificateSentence(error: CertificateError, hostname: string, now: number): string {
  if (error.code.startsWith('ERR_TLS_CERT_ALTNAME')) return clean(`certificate is not valid for "${hostname}"`)
  if (selfSigned.has(error.code)) return 'certificate is self-signed'
  if (error.code === chainIncomplete) return 'a certificate of the chain is missing'
  if (error.code === tooWeak) return 'key or signature of the certificate is too weak'
  if (unknownAuthority.has(error.code)) return 'certificate is signed by an unknown authority'
  if (error.code === 'CERT_HAS_EXPIRED') return error.validTo < now ? expired(error.validTo, now) : chainExpired
  if (error.code === 'CERT_NOT_YET_VALID' && error.validFrom > now) return notYetValid(error.validFrom)
  return clean(`certificate is not accepted (${error.code.replaceAll('_', ' ').toLowerCase()})`)
}
