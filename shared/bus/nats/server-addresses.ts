// Parser of bus addresses: `nats://host:port`, `tls://` for TLS, user and password or a token before the host, several with commas. Pure;
// knows no client of NATS.

export interface ServerAddress {
  /** Host and port, without the credentials. */
  server: string
  user: string
  password: string
  tls: boolean
}

/** Required form, as the end of a sentence. Quotes no address, because it may contain a password. */
export const addressForm = 'must be nats://host:port or tls://host:port, several with commas'

/** Returns null if any address is invalid. */
export function parseServerAddresses(text: string): ServerAddress[] | null {
  const addresses = text.split(',').map(parseAddress)
  return addresses.includes(null) ? null : (addresses as ServerAddress[])
}

function parseAddress(text: string): ServerAddress | null {
  const url = URL.parse(text.includes('://') ? text : `nats://${text}`)
  if (!url?.hostname || (url.protocol !== 'nats:' && url.protocol !== 'tls:')) return null
  // The token or password contains an unescaped `/`, `?` or `#`, so its beginning would be taken for the host, and shown.
  if (`${url.pathname}${url.search}${url.hash}`.includes('@')) return null
  try {
    return {
      server: `${url.hostname}:${url.port || '4222'}`,
      user: decodeURIComponent(url.username),
      password: decodeURIComponent(url.password),
      tls: url.protocol === 'tls:',
    }
  } catch {
    // The credentials contain an unescaped `%`.
    return null
  }
}
