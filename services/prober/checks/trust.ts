// Authorities that checks trust: the usual ones, and beside them those that a check brings along. Owns the TLS contexts of all checks.
import { X509Certificate } from 'node:crypto'
import { createSecureContext, getCACertificates, type SecureContext } from 'node:tls'
import { limits } from '#shared/limits/limits.ts'
import { pemCertificates } from '#shared/net/pem.ts'

export interface Trust {
  /** Returns the context of checks that bring this authority along, PEM certificates; empty: none. */
  contextFor(authority: string): SecureContext
  /** Whether one of the trusted certificates, in such a context, has issued this one. */
  isAnchored(certificate: X509Certificate, authority: string): boolean
}

/**
 * Returns a trust in the given PEM certificates. Without `authorities`, returns a trust in the built-in authorities and NODE_EXTRA_CA_CERTS.
 * The context without a further authority is created once, at the first check over TLS, because it parses all root certificates and takes
 * megabytes of memory.
 */
export function createTrust(authorities?: string): Trust {
  const usual = authorities === undefined ? {} : { ca: authorities }
  let alone: SecureContext | null = null
  /** By the text of the authority, the one that was used last at the end. */
  const further = new Map<string, SecureContext>()
  let anchors: ReadonlyMap<string, string[]> | null = null
  return {
    isAnchored: (certificate, authority) => {
      anchors ??= bySubject(authorities === undefined ? getCACertificates() : pemCertificates(authorities))
      const candidates = [...(anchors.get(certificate.issuer) ?? []), ...pemCertificates(authority)]
      return candidates.some(pem => hasIssued(new X509Certificate(pem), certificate))
    },
    contextFor: authority => {
      if (authority === '') {
        alone ??= createSecureContext(usual)
        return alone
      }
      const context = further.get(authority) ?? contextWith(authority, usual)
      further.delete(authority)
      further.set(authority, context)
      const [oldest = ''] = further.keys()
      if (further.size > limits.check.authorities) further.delete(oldest)
      return context
    },
  }
}

/**
 * Returns a context that trusts the authority beside the usual ones. Each of its certificates is an anchor, also one that another authority
 * has signed. A text without certificates adds none.
 *
 * The method that adds to the usual authorities is not in Node's documentation, but the documented way, to name all authorities anew, parses
 * each of them for each context: 35 ms and 1.3 MB instead of 1.2 ms and 40 kB. Strangers choose how many authorities there are.
 */
function contextWith(authority: string, usual: { ca?: string }): SecureContext {
  const made = createSecureContext({ ...usual, allowPartialTrustChain: true })
  const native = made.context as { addCACert(pem: string): void }
  native.addCACert(authority)
  return made
}

/** Returns certificates in PEM by their subject. Only the texts are kept, which Node has anyway. Takes 40 ms for all usual authorities. */
function bySubject(certificates: readonly string[]): Map<string, string[]> {
  const found = new Map<string, string[]>()
  for (const pem of certificates) {
    const { subject } = new X509Certificate(pem)
    found.set(subject, [...(found.get(subject) ?? []), pem])
  }
  return found
}

const hasIssued = (anchor: X509Certificate, certificate: X509Certificate): boolean =>
  certificate.checkIssued(anchor) && certificate.verify(anchor.publicKey)
