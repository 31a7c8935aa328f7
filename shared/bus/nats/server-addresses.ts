// Parser of bus addresses. An address is `nats://host:port`, or `tls://host:port` for TLS, and may contain user and password or a token
// before the host. Several addresses are separated by commas. Pure; imports no NATS client.

export interface ServerAddress {
  /** Host and port, without the credentials. */
  server: string
  user: string
  password: string
  tls: boolean
}

/** Required form of an address, as the end of an error message. The message does not quote the address, which may contain a password. */
export const addressForm = 'must be nats://host:port or tls://host:port, several with commas'

/** Parses addresses that are separated by commas. Returns null if any address is invalid. */
export function parseServerAddresses(text: string): ServerAddress[] | null {
  const addresses = text.split(',').map(parseAddress)
  return addresses.includes(null) ? null : (addresses as ServerAddress[])
}

function parseAddress(text: string): ServerAddress | null {
  const url = URL.parse(text.includes('://') ? text : `nats://${text}`)
  if (!url?.hostname || (url.protocol !== 'nats:' && url.protocol !== 'tls:')) return null
  // The token or password contains an unescaped `/`, `?` or `#`, so a message would show the beginning of the secret as the host.
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
