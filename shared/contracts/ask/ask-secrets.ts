// Requests to the directory about sealed secrets, for `./watchkeeper secrets`.
import { ask, Id, Nullable } from '#shared/contracts/common.ts'

export const secretAsks = {
  /**
   * Seals the secrets of some Resources anew with the first key of this directory, the next ones after `after` by id. Secrets that have this
   * key already stay. May be repeated. Errors: `invalid_state` if the directory has no key.
   */
  'reseal-secrets': ask<Resealed>()({ after: Nullable(Id) }),
  /**
   * Stores the name of the key with which all secrets are sealed. Returns null. Errors: `invalid_state` if it is not the first key of this
   * directory.
   */
  'settle-sealing-key': ask<null>()({ keyId: Id }),
} as const

/** A Resource with a secret that is not sealed anew. */
export interface Unsealed {
  id: string
  name: string
  workspaceId: string
  /** A sentence. */
  why: string
}

export interface Resealed {
  /** Name of the key that seals. */
  keyId: string
  /** Number of Resources that were looked at, and of secrets that were sealed anew. */
  seen: number
  resealed: number
  /** Resources whose keeper refused, or did not answer. */
  failed: Unsealed[]
  /** Resources with a secret that no key of this directory opens. */
  lost: Unsealed[]
  /** Continues after this id; null: these were the last Resources. */
  next: string | null
}
