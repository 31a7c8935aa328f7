// Address of the bus, and the credentials that the bus accepts.
import type { TlsFiles } from '#shared/bus/nats/nats-options.ts'

export interface BusAddress {
  url: string
  /** Empty: none. */
  token: string
  /** Path of the credentials file; empty: no file. */
  credentialsFile: string
  /** True if the server runs on this machine. */
  ownMachine: boolean
  /** TLS files of the client; absent: the client trusts the authorities that the machine trusts, and sends no certificate of its own. */
  tlsFiles?: TlsFiles
}

/** Returns the credentials as options of a connection. */
export const busCredentials = ({ token, credentialsFile, ownMachine, tlsFiles }: Omit<BusAddress, 'url'>) => ({
  ...(token === '' ? {} : { token }),
  ...(credentialsFile === '' ? {} : { credentialsFile }),
  ownMachine,
  ...(tlsFiles && { tlsFiles }),
})
