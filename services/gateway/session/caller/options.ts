// Options of the session API, read from the settings by settings.ts.

export interface OidcOptions {
  /** Issuer identifier of the provider: an https URL (http only on loopback). */
  issuer: string
  clientId: string
  clientSecret: string
  /** Name of the provider on the sign-in page. */
  name: string
}

export interface SessionOptions {
  /**
   * Address at which people reach this gateway (PUBLIC_URL), without a final slash. Null: PUBLIC_URL is unset, so the address comes from
   * each request.
   */
  publicUrl: string | null
  /**
   * Beginning of the address to which a provider redirects people. It is `publicUrl`, or an address of localhost if `publicUrl` is null.
   */
  callbackBase: string
  /** Whether AUTH_DEV is set: every visitor is then the owner. */
  developer: boolean
  oidc: OidcOptions | null
}

export const sessionDefaults: SessionOptions = {
  publicUrl: null,
  callbackBase: 'http://localhost:2517',
  developer: false,
  oidc: null,
}

/** Whether browsers reach the gateway by https, so that its cookies can be restricted to https. */
export const isSecure = ({ publicUrl }: SessionOptions): boolean => publicUrl?.startsWith('https:') === true
