// The certificates by which a server's certificate was accepted.
import type { X509Certificate } from 'node:crypto'

/** Largest number of certificates of a path. */
const pathMost = 10

/**
 * Returns the certificates between an accepted certificate and its anchor, the issuer first. A server may send more, such as one that leads
 * from the anchor to an older authority, or one that has expired: they do not count, because OpenSSL takes the shortest way of valid
 * certificates. `now`: ms since the epoch.
 */
export function issuersOf(
  own: X509Certificate,
  isAnchored: (certificate: X509Certificate) => boolean,
  now: number,
): X509Certificate[] {
  const path: X509Certificate[] = []
  let last = own
  while (path.length < pathMost && !isAnchored(last)) {
    const issuer = last.issuerCertificate
    if (issuer === undefined || issuer.checkIssued(issuer) || issuer.validToDate.getTime() < now) break
    path.push(issuer)
    last = issuer
  }
  return path
}
