// Address of the bus and credentials for it, as parts of the program pass them on.
import type { TlsFiles } from '#shared/bus/nats/nats-options.ts'

export interface BusAddress {
  url: string
  /** Empty where there is none. */
  token: string
  /** A file; empty where there is none. */
  credentialsFile: string
  /** Whether the server is this machine's own. */
  ownMachine: boolean
  /** Absent: the authorities that the machine trusts, and no certificate of its own. */
  tlsFiles?: TlsFiles
}

/** The way to that bus as options of a connection. */
export const busCredentials = ({ token, credentialsFile, ownMachine, tlsFiles }: Omit<BusAddress, 'url'>) => ({
  ...(token === '' ? {} : { token }),
  ...(credentialsFile === '' ? {} : { credentialsFile }),
  ownMachine,
  ...(tlsFiles && { tlsFiles }),
})
