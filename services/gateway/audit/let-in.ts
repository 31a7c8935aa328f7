// The key, Observation address or session that let a request in. Each check of a caller sets it; the audit alone reads it.
import type { Identity } from '#shared/contracts/ask.ts'
import type { AddressIdentity } from '#shared/contracts/ask-addresses.ts'
import type { Caller } from '#shared/contracts/ask-people.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Null: nobody was let in, or the generation has no audit. */
    letIn: LetIn | null
  }
  interface FastifyContextConfig {
    /** A read that is kept in the audit; everything else but a read is kept anyway. */
    isAudited?: boolean
    /** Takes Observations: their rows leave earlier. */
    takesObservations?: boolean
  }
}

export interface LetIn {
  by: 'key' | 'address' | 'session'
  person: Pick<Caller, 'userId' | 'displayName' | 'memberships'> | null
  key: { id: string; prefix: string } | null
  /** Stands for the key: everything that it reports is an Observation. */
  address: { id: string } | null
  /** Set by a route whose path does not name the workspace. Null: the path says which it is, or there is none. */
  workspaceId: string | null
}

export const letInByKey = (identity: Identity): LetIn => ({
  by: 'key',
  person: identity,
  key: { id: identity.keyId, prefix: identity.keyPrefix },
  address: null,
  workspaceId: null,
})

/** `person`: whose key was the second factor; null: the address needs none. */
export const letInByAddress = ({ id, workspaceId }: AddressIdentity, person: Identity | null): LetIn => ({
  by: 'address',
  person,
  key: null,
  address: { id },
  workspaceId,
})

export const letInBySession = (person: Caller): LetIn => ({
  by: 'session',
  person,
  key: null,
  address: null,
  workspaceId: null,
})
