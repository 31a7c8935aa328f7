// What messages say, whatever their form: the built-in body and payload templates speak alike. Pure; foreign text leaves here as one
// line without control characters.
import type { AlertDocument, AlertKind } from '#shared/contracts/alert.ts'
import { humanDuration } from '#shared/durations.ts'
import { limits } from '#shared/limits.ts'
import { oneLine } from './one-line.ts'

export type LocationName = (locationId: string) => string

const { errorCharacters } = limits.notifier

export const titleOf = (kind: AlertKind, name: string): string =>
  ({ problem: `${name} is down`, no_data: `${name} — no data`, recovery: `${name} is back up` })[kind]

export const subjectOf = ({ facts }: AlertDocument): string => oneLine(facts.subjectName, limits.notifier.nameCharacters)

/** The page of the subject, where its timeline is. */
export const linkOf = ({ subjectId }: AlertDocument, publicUrl: string): string =>
  `${publicUrl}/subjects/${encodeURIComponent(subjectId)}`

/** Names of the locations that the message is about: failing, silent, or well again. A custom subject has none. */
export function placesOf({ kind, facts }: AlertDocument, nameOf: LocationName): string[] {
  const ids = { problem: facts.failing, no_data: facts.unknown, recovery: facts.ok }[kind]
  return ids.map(id => oneLine(nameOf(id), errorCharacters))
}

/** How many locations fail or are silent, and which fail; empty with a single location, where it would say nothing. */
export function extentOf(alert: AlertDocument, nameOf: LocationName): string {
  const { kind, facts } = alert
  const total = facts.failing.length + facts.unknown.length + facts.ok.length
  const places = placesOf(alert, nameOf)
  if (total < 2 || kind === 'recovery' || places.length === 0) return ''
  if (kind === 'no_data') return `No reports from ${places.length} of ${total} locations`
  return `Failing from ${places.length} of ${total} locations — ${places.join(', ')}`
}

/** The check's own error; empty where there is none. A recovery quotes none. */
export const errorOf = ({ kind, facts }: AlertDocument): string =>
  kind === 'recovery' ? '' : oneLine(facts.error, errorCharacters)

/** How long it has been bad; for a recovery how long it was. */
export function lastedOf({ kind, decidedAt, facts }: AlertDocument): string {
  const until = kind === 'recovery' ? (facts.closedAt ?? decidedAt) : decidedAt
  return humanDuration(until - facts.troubleSince)
}
