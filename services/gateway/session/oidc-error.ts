// Why a sign-in at an OIDC provider did not succeed.

/** What went wrong, as the sign-in page is told. */
export type OidcTrouble = 'cancelled' | 'expired' | 'refused' | 'provider_unavailable'

export class OidcError extends Error {
  readonly trouble: OidcTrouble
  /** For the log: the library's own word. Never a token or a code. */
  readonly reason: string

  constructor(trouble: OidcTrouble, reason: string) {
    super(`Sign-in at the provider: ${trouble}`)
    this.name = 'OidcError'
    this.trouble = trouble
    this.reason = reason
  }
}
