// Address of the bus with the credentials for it.
import type { TlsFiles } from '#shared/bus/nats/nats-options.ts'

export interface BusAddress {
  url: string
  /** Empty: none. */
  token: string
  /** Path of a file; empty: none. */
  credentialsFile: string
  /** True if the server runs on this machine. */
  ownMachine: boolean
  /** Absent: the authorities that the machine trusts, and no client certificate. */
  tlsFiles?: TlsFiles
}

/** Returns the credentials as options of a connection. */
export const busCredentials = ({ token, credentialsFile, ownMachine, tlsFiles }: Omit<BusAddress, 'url'>) => ({
  ...(token === '' ? {} : { token }),
  ...(credentialsFile === '' ? {} : { credentialsFile }),
  ownMachine,
  ...(tlsFiles && { tlsFiles }),
})
