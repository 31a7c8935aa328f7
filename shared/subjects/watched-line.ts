// What a website monitor watches, as one line for people. Pure.
import type { RosterCheck } from '#shared/contracts/subjects/roster.ts'
import { intervalMs, type WebsiteCheck } from '#shared/contracts/subjects/website.ts'
import { redactedUrl } from '#shared/secrecy/redacted-text.ts'
import { cut } from '#shared/text/plain-text.ts'
import { humanDuration } from '#shared/time/durations.ts'

/** Largest number of characters of an address in a line. */
const urlCharacters = 200
/** Largest number of locations that a line names. */
const namesMost = 3

/** Returns the parts of a check that the line needs. The address has no credentials. */
export const rosterCheck = (check: WebsiteCheck): RosterCheck => ({
  method: check.method,
  url: cut(redactedUrl(check.url), urlCharacters),
  everyMs: intervalMs(check),
  locations: check.locations,
})

/**
 * Returns a text such as `GET https://shop.example/health every 30s from frankfurt, oslo`. `nameOf`: name of a location; null: it is not
 * known.
 */
export function watchedLine({ method, url, everyMs, locations }: RosterCheck, nameOf: (id: string) => string | null): string {
  const names = locations.slice(0, namesMost).map(id => nameOf(id) ?? id)
  const more = locations.length - names.length
  const from = locations.length === 0 ? 'from nowhere' : `from ${names.join(', ')}${more > 0 ? ` and ${more} more` : ''}`
  return `${method} ${url} every ${humanDuration(everyMs)} ${from}`
}
