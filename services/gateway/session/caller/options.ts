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
  /** Address at which people reach this gateway (PUBLIC_URL), without a final slash. Null: the address of each request. */
  publicUrl: string | null
  /** Base of the address to which a provider redirects people: `publicUrl`, or localhost if `publicUrl` is null. */
  callbackBase: string
  /** AUTH_DEV: every visitor is the owner. */
  developer: boolean
  oidc: OidcOptions | null
}

export const sessionDefaults: SessionOptions = {
  publicUrl: null,
  callbackBase: 'http://localhost:2517',
  developer: false,
  oidc: null,
}

/** Whether cookies may be bound to https. */
export const isSecure = ({ publicUrl }: SessionOptions): boolean => publicUrl?.startsWith('https:') === true
