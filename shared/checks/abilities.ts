// Kinds of checks that probers can make, as their presence says it. Pure. Reference: docs/reference/v3.md, 3.22.
import { limits } from '#shared/limits/limits.ts'
import { hasHiddenCharacters } from '#shared/text/plain-text.ts'
import { findKind, isOfEveryProber } from './registry.ts'

/** What a prober can make: null for each kind that it can, else a sentence that says why not. Absent: the prober knows no such kind. */
export type Abilities = Readonly<Record<string, string | null>>

/** A prober that lives. `kinds` null: it is older than kinds of checks. */
export interface AbleProber {
  version: string
  kinds: Abilities | null
  /** Number of checks a second that its monitors need; 0: it does not say. */
  perSecond: number
}

/** Returns what the value of a prober's presence says. The value is not trusted. */
export function ableProber(value: unknown): AbleProber {
  const { version, kinds, perSecond } = (value ?? {}) as { version?: unknown; kinds?: unknown; perSecond?: unknown }
  const isText = typeof version === 'string' && version.length <= limits.presence.versionCharacters
  return {
    version: isText && !hasHiddenCharacters(version) ? version : 'unknown',
    kinds: abilitiesIn(kinds),
    perSecond: typeof perSecond === 'number' && perSecond >= 0 && perSecond <= 1_000_000 ? perSecond : 0,
  }
}

function abilitiesIn(kinds: unknown): Abilities | null {
  if (typeof kinds !== 'object' || kinds === null) return null
  const entries = Object.entries(kinds).slice(0, limits.presence.kinds)
  return Object.fromEntries(entries.filter((entry): entry is [string, string | null] => isSaid(entry[1])))
}

const isSaid = (said: unknown): said is string | null =>
  said === null || (typeof said === 'string' && said.length <= limits.check.errorCharacters && !hasHiddenCharacters(said))

/** Whether a prober with these abilities can make checks of a kind, of which `key` is the word. */
export const canMake = (kinds: Abilities | null, key: string): boolean => isOfEveryProber(key) || kinds?.[key] === null

/**
 * Returns why none of the live probers of a location can make checks of a kind, a sentence; null: one of them can, or there is none. The
 * same probers always give the same sentence: of several, that of a prober which knows the kind, then the first one by its letters.
 */
export function inabilityOf(probers: readonly Pick<AbleProber, 'version' | 'kinds'>[], key: string): string | null {
  if (probers.length === 0 || probers.some(({ kinds }) => canMake(kinds, key))) return null
  const said = probers.flatMap(({ kinds }) => kinds?.[key] ?? []).toSorted()
  const [version = ''] = probers.map(prober => prober.version).toSorted()
  return said[0] ?? `its probers are older than this check (${version})`
}

/** Returns the kinds that none of the live probers of a location can make, each with the sentence that says why. */
export const inabilitiesOf = (probers: readonly AbleProber[], keys: readonly string[]): Record<string, string> =>
  Object.fromEntries(
    keys.flatMap(key => {
      const sentence = inabilityOf(probers, key)
      return sentence === null ? [] : [[key, sentence] as const]
    }),
  )

/** Returns the word of the kind that a stored check or a check entry names. */
export const kindWord = (named: { kind?: string | undefined }): string => findKind(named)?.key ?? named.kind ?? ''
