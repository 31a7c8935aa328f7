// Reasons why a sign-in at an OIDC provider failed.

/** Reason of the failure that the sign-in page shows. */
export type OidcTrouble = 'cancelled' | 'expired' | 'refused' | 'provider_unavailable'

export class OidcError extends Error {
  readonly trouble: OidcTrouble
  /** Reason for the log, as the OIDC library states it. Never contains a token or a code. */
  readonly reason: string

  constructor(trouble: OidcTrouble, reason: string) {
    super(`Sign-in at the provider: ${trouble}`)
    this.name = 'OidcError'
    this.trouble = trouble
    this.reason = reason
  }
}
