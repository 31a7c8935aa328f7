// Signals of a Resource as generation 3 names them. Pure. Rules: docs/reference/v3.md, 7.3 and 7.4.
import type { DeclaredKind, SignalState, StoredSignalKind } from '#shared/contracts/signal.ts'
import type { Template } from '#shared/contracts/template.ts'
import { shortHash } from '#shared/ids.ts'

export type ReportedKind = 'heartbeat' | 'periodic' | 'event'

const kinds: Record<Exclude<StoredSignalKind, 'template'>, ReportedKind> = {
  custom_heartbeat: 'heartbeat',
  custom_event: 'event',
  declared_heartbeat: 'heartbeat',
  declared_periodic: 'periodic',
  declared_event: 'event',
}

/** `template`: of a Resource of a published Template, whose word counts; null of others. */
export function reportedKind({ slug, kind }: Pick<SignalState, 'slug' | 'kind'>, template: Template | null): ReportedKind {
  const declared = template?.signals.find(({ key }) => key === slug)
  if (declared !== undefined) return declared.kind
  return kind === 'template' ? 'event' : kinds[kind]
}

export const declaredKinds: Record<ReportedKind, DeclaredKind> = {
  heartbeat: 'declared_heartbeat',
  periodic: 'declared_periodic',
  event: 'declared_event',
}

/** Whether a sender declared the signal, and the Template knows nothing of it: no rule reads it. */
export const isDeclared = ({ slug, kind }: Pick<SignalState, 'slug' | 'kind'>, template: Template | null): boolean =>
  Object.values<StoredSignalKind>(declaredKinds).includes(kind) && !template?.signals.some(({ key }) => key === slug)

/**
 * The key of a signal that a sender declares follows from its name: a row that was written right before a crash is found when the
 * signal is declared again, and belongs to no other signal.
 */
export const declaredSignalKey = (slug: string): string => `d${shortHash(slug)}`

/** Whether the key is of a declared signal; those of others are `s<number>`. */
export const isDeclaredKey = (key: string): boolean => key.startsWith('d')

/** The website's own signal at a location: its key, and its id. */
export const platformSignalKey = (locationId: string): string => `${platformPrefix}${locationId}`

export const isPlatformKey = (key: string): boolean => key.startsWith(platformPrefix)

const platformPrefix = 'reachability@'
