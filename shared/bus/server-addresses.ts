// The addresses of a bus as a person writes them: `nats://host:port`, `tls://` for TLS, user and password or a token before the host,
// several with commas. Pure; knows no client of NATS.

export interface ServerAddress {
  /** Host and port, apart from the credentials. */
  server: string
  user: string
  password: string
  tls: boolean
}

/** How they must look, as the end of a sentence. It repeats nothing of them: a password may stand there. */
export const addressForm = 'must be nats://host:port or tls://host:port, several with commas'

/** Null where one of them is none. */
export function parseServerAddresses(text: string): ServerAddress[] | null {
  const addresses = text.split(',').map(parseAddress)
  return addresses.includes(null) ? null : (addresses as ServerAddress[])
}

function parseAddress(text: string): ServerAddress | null {
  const url = URL.parse(text.includes('://') ? text : `nats://${text}`)
  if (!url?.hostname || (url.protocol !== 'nats:' && url.protocol !== 'tls:')) return null
  // A token or password with a `/`, `?` or `#` that stands for itself: its beginning would be taken for the host, and shown.
  if (`${url.pathname}${url.search}${url.hash}`.includes('@')) return null
  try {
    return {
      server: `${url.hostname}:${url.port || '4222'}`,
      user: decodeURIComponent(url.username),
      password: decodeURIComponent(url.password),
      tls: url.protocol === 'tls:',
    }
  } catch {
    // A `%` that stands for itself.
    return null
  }
}
