// Reasons why a sign-in at an OIDC provider failed.

/** Reason of a failed sign-in, as the sign-in page shows it. */
export type OidcTrouble = 'cancelled' | 'expired' | 'refused' | 'provider_unavailable'

export class OidcError extends Error {
  readonly trouble: OidcTrouble
  /** Reason in the words of the OIDC library, for the log. Never contains a token or a code. */
  readonly reason: string

  constructor(trouble: OidcTrouble, reason: string) {
    super(`Sign-in at the provider: ${trouble}`)
    this.name = 'OidcError'
    this.trouble = trouble
    this.reason = reason
  }
}
