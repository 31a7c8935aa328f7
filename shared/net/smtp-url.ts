// Addresses of mail servers: `smtp://user:password@host:587` and `smtps://…:465`. Pure.
import { parseHost } from './host-port.ts'

export interface MailServer {
  hostname: string
  port: number
  /** TLS from the first byte. */
  isSecure: boolean
  /** Whether a connection that begins without TLS must, may or must not change to it. */
  startTls: 'required' | 'optional' | 'never'
  login: { user: string; password: string } | null
}

const usualPorts: Readonly<Record<string, number>> = { 'smtp:': 587, 'smtps:': 465 }

/** Returns the parts of an address; null: the text is none. `?starttls=` is `optional` or `never`; required unless it is stated. */
export function parseMailServer(text: string): MailServer | null {
  const url = URL.parse(text)
  const usualPort = usualPorts[url?.protocol ?? '']
  if (url === null || usualPort === undefined || !['', '/'].includes(url.pathname) || url.hash !== '') return null
  const hostname = parseHost(decodeURIComponent(url.hostname))
  const { starttls: startTls = 'required', ...others } = Object.fromEntries(url.searchParams)
  if (hostname === null || Object.keys(others).length > 0) return null
  if (startTls !== 'required' && startTls !== 'optional' && startTls !== 'never') return null
  const [user, password] = [url.username, url.password].map(decoded)
  if (user === undefined || password === undefined) return null
  return {
    hostname,
    port: url.port === '' ? usualPort : Number(url.port),
    isSecure: url.protocol === 'smtps:',
    startTls,
    login: user === '' ? null : { user, password },
  }
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}
