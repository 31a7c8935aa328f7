// A signal of a subject: an address to which observations are reported (reference/custom-subjects 2.1).
import { Type } from 'typebox'

/** Kinds of generations 1 and 2. Only a website monitor has a signal of the kind `platform_http`. */
export type SignalKind = 'platform_http' | 'custom_heartbeat' | 'custom_event'

/** The kinds that a person can create. */
export const CustomSignalKind = Type.Enum(['custom_heartbeat', 'custom_event'])

/** Kinds of signals that a sender of generation 3 declared; generations 1 and 2 do not show such signals. */
export type DeclaredKind = 'declared_heartbeat' | 'declared_periodic' | 'declared_event'

/** Kinds of stored signals. `template`: the Template of the subject defines the kind. */
export type StoredSignalKind = Exclude<SignalKind, 'platform_http'> | DeclaredKind | 'template'

/** A signal in its subject's document. The signal of a website check is not stored, because it can be derived from the check. */
export interface SignalState {
  /**
   * Internal key: `s<number>`, or the result of `declaredSignalKey` for a declared signal. After a signal is deleted, the subject does not
   * use its key for another signal, because observations refer to the key.
   */
  key: string
  slug: string
  name: string
  kind: StoredSignalKind
  /** A JSON object as text. */
  meta: string
  addedAt: number
  /** Identity of the Observation that declared the signal; absent for other signals. */
  declaredBy?: string
}
