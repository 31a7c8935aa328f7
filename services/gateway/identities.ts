// Whose key is it, and what is reported to this address? Both by token hash (token-memory.ts).
import type { Bus } from '#shared/bus/port.ts'
import { keys } from '#shared/bus/subjects.ts'
import type { Clock } from '#shared/clock.ts'
import type { Identity } from '#shared/contracts/ask.ts'
import type { AddressIdentity } from '#shared/contracts/ask-addresses.ts'
import { createTokenMemory, type TokenMemory } from './token-memory.ts'

export type Identities = TokenMemory<Identity>
export type Addresses = TokenMemory<AddressIdentity>

/** Resolves once revocations are heard. */
export const createIdentities = (bus: Bus, clock: Clock, ask: (tokenHash: string) => Promise<Identity | null>) =>
  createTokenMemory<Identity>(bus, clock, {
    ask,
    namesOf: ({ keyId, userId }) => [keys.revocation('key', keyId), keys.revocation('user', userId)],
    expiresAt: ({ expiresAt }) => expiresAt,
  })

/** Resolves once revocations are heard. */
export const createAddresses = (bus: Bus, clock: Clock, ask: (tokenHash: string) => Promise<AddressIdentity | null>) =>
  createTokenMemory<AddressIdentity>(bus, clock, {
    ask,
    namesOf: ({ id }) => [keys.revocation('address', id)],
    expiresAt: () => null,
  })
