// What the session API is told when the gateway is made; read from the settings by settings.ts.

export interface OidcOptions {
  /** The provider's issuer identifier: an https URL (http on loopback only). */
  issuer: string
  clientId: string
  clientSecret: string
  /** How the sign-in page calls the provider. */
  name: string
}

export interface SessionOptions {
  /** Where people reach this gateway (PUBLIC_URL), without a slash at the end; null: wherever their requests say. */
  publicUrl: string | null
  /** Where a provider sends people back to; `publicUrl`, or localhost where that is unset. */
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
