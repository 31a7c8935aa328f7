// Kinds and keys of a Resource's signals in generation 3. Pure. Reference: docs/reference/v3.md, 7.3 and 7.4.

import type { scheduleKind } from '#shared/contracts/resources/schedule.ts'
import { checkKind, type Template } from '#shared/contracts/resources/template.ts'
import type { DeclaredKind, SignalState, StoredSignalKind } from '#shared/contracts/subjects/signal.ts'
import { shortHash } from '#shared/text/ids.ts'

/** Kinds of signals that a sender may declare. */
export type DeclarableKind = 'heartbeat' | 'periodic' | 'event'
/** Kinds of signals on which senders report. */
export type ReportedKind = DeclarableKind | typeof scheduleKind

const kinds: Record<Exclude<StoredSignalKind, 'template'>, DeclarableKind> = {
  custom_heartbeat: 'heartbeat',
  custom_event: 'event',
  declared_heartbeat: 'heartbeat',
  declared_periodic: 'periodic',
  declared_event: 'event',
}

/**
 * Returns the kind that the Template declares for a signal. If the Template does not declare the signal, returns the kind that a sender
 * declared. `template` null: the Resource has no published Template.
 */
export function reportedKind({ slug, kind }: Pick<SignalState, 'slug' | 'kind'>, template: Template | null): ReportedKind {
  const declared = template?.signals.find(({ key }) => key === slug)
  if (declared !== undefined && declared.kind !== checkKind) return declared.kind
  return kind === 'template' ? 'event' : kinds[kind]
}

export const declaredKinds: Record<DeclarableKind, DeclaredKind> = {
  heartbeat: 'declared_heartbeat',
  periodic: 'declared_periodic',
  event: 'declared_event',
}

/** Returns true if a sender declared the signal and the Template does not contain it, so that no rule reads it. */
export const isDeclared = ({ slug, kind }: Pick<SignalState, 'slug' | 'kind'>, template: Template | null): boolean =>
  Object.values<StoredSignalKind>(declaredKinds).includes(kind) && !template?.signals.some(({ key }) => key === slug)

/**
 * Returns the key of a signal that a sender declares, computed from the signal's name. A crash may lose the declaration after a row of the
 * signal was written. The next declaration of this name then has the same key, so the row still belongs to the signal.
 */
export const declaredSignalKey = (slug: string): string => `d${shortHash(slug)}`

/** Returns true for the key of a declared signal; keys of other signals are `s<number>`. */
export const isDeclaredKey = (key: string): boolean => key.startsWith('d')

/** Returns the key of a checked signal at a location. The key is also the id of this signal of the platform. */
export const checkedSignalKey = (signal: string, locationId: string): string => `${signal}@${locationId}`

/** Returns the location's id of such a key. */
export const locationOfKey = (key: string): string => key.slice(key.indexOf('@') + 1)

/** Whether it is the key of a signal of the platform: no other key has this character. */
export const isPlatformKey = (key: string): boolean => key.includes('@')
