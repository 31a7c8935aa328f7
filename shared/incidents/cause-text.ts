// Cause of an incident as a text for people. Pure.
import type { IncidentCause } from '#shared/contracts/incidents/incident.ts'
import { limits } from '#shared/limits/limits.ts'
import { missedWords } from '#shared/schedule/missed-words.ts'
import { redactedText } from '#shared/secrecy/redacted-text.ts'
import { isPlatformKey, locationOfKey } from '#shared/subjects/resource-signals.ts'
import { cut } from '#shared/text/plain-text.ts'

const { textCharacters } = limits.notifier.evidence

/** Returns the cause without the credentials that its reason may quote, and with a reason of bounded length. */
export const redactedCause = (cause: IncidentCause): IncidentCause => ({
  ...cause,
  reason: cut(redactedText(cause.reason), textCharacters),
})

/** Returns the location that the cause names; null: it names none. */
export function locationIn({ input, isLocation }: IncidentCause): string | null {
  if (input === null || isLocation) return input
  return isPlatformKey(input) ? locationOfKey(input) : null
}

/**
 * Returns the reason and, in brackets, the name of the location or the key of the signal: `status 503, expected 200 (frankfurt)`. A location
 * without a name is left out: `nameOf` returns null for a location that is deleted or not known here.
 */
export function causeText(cause: IncidentCause, nameOf: (locationId: string) => string | null): string {
  const { input, reason: said, isSilence } = redactedCause(cause)
  const reason = isSilence ? missedText(said) : said
  const location = locationIn(cause)
  const place = location === null ? input : nameOf(location)
  return place === null ? reason : `${reason} (${cut(place, limits.notifier.nameCharacters)})`
}

/** The evidence of a run that was missed says only what was expected, or what had started. */
function missedText(reason: string): string {
  if (reason.startsWith(missedWords.expected)) return `did not report, ${reason}`
  return reason.startsWith(missedWords.started) ? `did not finish, ${reason}` : reason
}
