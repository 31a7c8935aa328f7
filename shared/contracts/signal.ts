// A signal of a subject: an address to which observations are reported (spec B, Signal).
import { Type } from 'typebox'

/** `platform_http` is maintained by website monitoring alone. */
export type SignalKind = 'platform_http' | 'custom_heartbeat' | 'custom_event'

/** The kinds that a person can make. */
export const CustomSignalKind = Type.Enum(['custom_heartbeat', 'custom_event'])

/** A sender of generation 3 declared it; generations 1 and 2 do not show it. */
export type DeclaredKind = 'declared_heartbeat' | 'declared_periodic' | 'declared_event'

/** template: its Template says what it is. */
export type StoredSignalKind = Exclude<SignalKind, 'platform_http'> | DeclaredKind | 'template'

/** A signal made by hand, inside its subject. The platform's own signal is nowhere stored: it follows from the subject's meta. */
export interface SignalState {
  /**
   * `s<number>`, unique in the subject for ever: observations hang on it, a later signal of the same slug is another. Of a declared one:
   * see `declaredSignalKey`.
   */
  key: string
  slug: string
  name: string
  kind: StoredSignalKind
  /** A JSON object as text. */
  meta: string
  addedAt: number
  /** The identity of the Observation that declared it; absent of other signals. */
  declaredBy?: string
}
