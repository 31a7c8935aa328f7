// Authorities that checks trust: the usual ones, and beside them those that a check brings along. Owns the TLS contexts of all checks.
import { createSecureContext, type SecureContext } from 'node:tls'
import { limits } from '#shared/limits/limits.ts'

export interface Trust {
  /** Returns the context of checks that bring this authority along, PEM certificates; empty: none. */
  contextFor(authority: string): SecureContext
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
  return {
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
