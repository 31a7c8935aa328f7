// What an operator sets of pings.
export interface PingOptions {
  /** Host at whose root ping addresses are, in lower case (PING_HOST). Null: at none. */
  host: string | null
  /** Number of bytes of a body that are kept (PING_BODY_LIMIT). */
  bodyLimit: number
  /** Whether `/api/push/<token>` takes pings (KUMA_PUSH). */
  kumaPush: boolean
}

/** The defaults of the settings. */
export const pingDefaults: PingOptions = { host: null, bodyLimit: 10_000, kumaPush: false }
