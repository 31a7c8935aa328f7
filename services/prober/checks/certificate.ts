// Judgement of a server's certificates where Node and OpenSSL say less than a person needs, or accept more than browsers do. Pure.
import { X509Certificate } from 'node:crypto'
import { isIP } from 'node:net'
import type { PeerCertificate, TLSSocket } from 'node:tls'
import type { ReadCertificate } from '#shared/contracts/observations/try.ts'
import { cut } from '#shared/text/plain-text.ts'

/** Codes beside those of OpenSSL. */
export const clientCertificateWanted = 'CLIENT_CERTIFICATE_WANTED'
export const chainIncomplete = 'CHAIN_INCOMPLETE'
export const tooWeak = 'CERTIFICATE_TOO_WEAK'

/**
 * Whether a certificate is valid for a host name or an address, as browsers judge: only by its alternative names, never by its subject, and
 * an asterisk stands for a whole label (RFC 9525, 6). Returns the error; undefined: it is valid.
 */
export function checkServerIdentity(hostname: string, { raw }: Pick<PeerCertificate, 'raw'>): Error | undefined {
  const certificate = new X509Certificate(raw)
  const found = isIP(hostname)
    ? certificate.checkIP(hostname)
    : certificate.checkHost(hostname, { subject: 'never', partialWildcards: false })
  return found === undefined ? otherName() : undefined
}

const otherName = (): Error => Object.assign(new Error('other name'), { code: 'ERR_TLS_CERT_ALTNAME_INVALID' })

/** Returns the certificates that a server has sent, and those of the verified path, beginning with its own. */
export function chainOf(certificate: PeerCertificate): PeerCertificate[] {
  const chain: PeerCertificate[] = []
  let next: PeerCertificate | undefined = certificate
  while (next?.raw && !chain.includes(next)) {
    chain.push(next)
    next = 'issuerCertificate' in next ? (next.issuerCertificate as PeerCertificate) : undefined
  }
  return chain
}

/** Codes of OpenSSL for a path that ends before a trusted authority. */
const endsEarly: ReadonlySet<string> = new Set(['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'UNABLE_TO_GET_ISSUER_CERT_LOCALLY'])

/**
 * Returns the code of a refused certificate. If the path ends early and its last certificate says where its issuer can be fetched, the
 * server has forgotten that issuer: authorities of the public say so, private ones hardly ever do.
 */
export function refinedCode(code: string, chain: readonly PeerCertificate[]): string {
  const isFetchable = chain.at(-1)?.infoAccess?.['CA Issuers - URI']?.some(uri => /^https?:/.test(uri)) ?? false
  if (endsEarly.has(code) && isFetchable) return chainIncomplete
  return code === 'UNSPECIFIED' && chain.some(isWeak) ? tooWeak : code
}

/** Least sizes of keys in bits, by the security level of OpenSSL that Node requires. */
const leastBits = { rsa: 2_048, ec: 224 }

function isWeak({ raw, bits = 0, modulus }: PeerCertificate): boolean {
  const least = modulus === undefined ? leastBits.ec : leastBits.rsa
  if (bits > 0 && bits < least) return true
  return /md5|sha1(?!\d)/i.test(new X509Certificate(raw).signatureAlgorithm ?? '')
}

/**
 * Whether an error of a connection means that the server wants a client certificate. Before TLS 1.3, a server that has shown its own
 * certificate and then refuses the handshake can hardly want anything else.
 */
export function wantsCertificate(error: NodeJS.ErrnoException, socket: Pick<TLSSocket, 'getPeerCertificate'>): boolean {
  if (error.code === 'ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED') return true
  const isRefusal = /^ERR_SSL_.*ALERT_(HANDSHAKE_FAILURE|BAD_CERTIFICATE)$/.test(error.code ?? '')
  return isRefusal && Object.keys(socket.getPeerCertificate() ?? {}).length > 0
}

/** Largest number of names of a certificate, and of their characters, that are shown. */
const [shownNames, nameCharacters] = [32, 253]

/** Returns what people see of a certificate. */
export function readCertificate({
  subject,
  issuer,
  subjectAltName,
  validFromDate,
  validToDate,
}: X509Certificate): ReadCertificate {
  const names = (subjectAltName ?? '').split(', ').flatMap(name => name.replace(/^(DNS|IP Address):/, '') || [])
  return {
    ...{ subject: oneLine(subject), issuer: oneLine(issuer), names: names.slice(0, shownNames).map(oneLine) },
    ...{ validFrom: validFromDate.getTime(), validTo: validToDate.getTime() },
  }
}

const oneLine = (text: string | undefined): string => cut((text ?? '').replace(/\p{Cc}+/gu, ', '), nameCharacters)
