// The key, Observation address, session or acknowledge link that authorised a request. Every check of a caller sets this value on the request; only the audit
// reads the value.
import type { Identity } from '#shared/contracts/ask/ask.ts'
import type { AddressIdentity } from '#shared/contracts/ask/ask-addresses.ts'
import type { AuditMade } from '#shared/contracts/ask/ask-audit.ts'
import type { AcknowledgeLink } from '#shared/contracts/ask/ask-incidents.ts'
import type { Caller } from '#shared/contracts/ask/ask-people.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Authorisation of the request. Null: no caller was accepted, or the generation has no audit. */
    letIn: LetIn | null
  }
  interface FastifyContextConfig {
    /** Whether this read is recorded in the audit. Requests that are not reads are always recorded. */
    isAudited?: boolean
    /**
     * Whether the request changes nothing, whatever its method. If a session authorised such a request, the audit treats it as a read and
     * does not record it.
     */
    isDry?: boolean
    /** Whether the request reports Observations. Audit rows of these requests are kept for a shorter time. */
    takesObservations?: boolean
  }
}

export interface LetIn {
  by: 'key' | 'address' | 'session' | 'link'
  person: Pick<Caller, 'userId' | 'displayName' | 'memberships'> | null
  key: { id: string; prefix: string } | null
  /** Observation address that authorised the request in place of a key. Every request to an Observation address reports Observations. */
  address: { id: string } | null
  /** Destination of the message whose acknowledge link authorised the request. */
  destination: { id: string } | null
  /**
   * Id of the workspace, set by a route whose path does not name the workspace. Null: the path names the workspace, or the request concerns
   * no workspace.
   */
  workspaceId: string | null
  /** Object that the request made, set from the result of its route (`noteMade`). Null: nothing yet. */
  made: AuditMade | null
}

export const letInByKey = (identity: Identity): LetIn => ({
  by: 'key',
  person: identity,
  key: { id: identity.keyId, prefix: identity.keyPrefix },
  address: null,
  destination: null,
  workspaceId: null,
  made: null,
})

/** Authorisation by an Observation address. `person`: owner of the key that was the second factor; null: the address needs no key. */
export const letInByAddress = ({ id, workspaceId }: AddressIdentity, person: Identity | null): LetIn => ({
  by: 'address',
  person,
  key: null,
  address: { id },
  destination: null,
  workspaceId,
  made: null,
})

export const letInBySession = (person: Caller): LetIn => ({
  by: 'session',
  person,
  key: null,
  address: null,
  destination: null,
  workspaceId: null,
  made: null,
})

/** Authorisation by an acknowledge link: whoever has it, of whom only the link is known. */
export const letInByLink = ({ workspaceId, destination: { id } }: AcknowledgeLink): LetIn => ({
  by: 'link',
  person: null,
  key: null,
  address: null,
  destination: { id },
  workspaceId,
  made: null,
})
