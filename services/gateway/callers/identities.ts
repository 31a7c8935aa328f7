// Memories of the gateway: callers by the hash of their key, Observation addresses by the hash of their token.
import { keys } from '#shared/bus/subjects.ts'
import type { Identity } from '#shared/contracts/ask/ask.ts'
import type { AddressIdentity } from '#shared/contracts/ask/ask-addresses.ts'
import type { Clock } from '#shared/time/clock.ts'
import { createTokenMemory, type TokenMemory } from './token-memory.ts'

export type Identities = TokenMemory<Identity>
export type Addresses = TokenMemory<AddressIdentity>

export const createIdentities = (clock: Clock, ask: (tokenHash: string) => Promise<Identity | null>) =>
  createTokenMemory<Identity>(clock, {
    ask,
    namesOf: ({ keyId, userId }) => [keys.revocation('key', keyId), keys.revocation('user', userId)],
    expiresAt: ({ expiresAt }) => expiresAt,
  })

export const createAddresses = (clock: Clock, ask: (tokenHash: string) => Promise<AddressIdentity | null>) =>
  createTokenMemory<AddressIdentity>(clock, {
    ask,
    namesOf: ({ id }) => [keys.revocation('address', id)],
    expiresAt: () => null,
  })
