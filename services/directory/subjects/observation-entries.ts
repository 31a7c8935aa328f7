// Entries of the Observation log, made from stored Observations and stored checks. Pure. Reference: docs/reference/v3.md, 7.8.
import type { CheckObservationDocument, PushedObservationDocument } from '#shared/contracts/observations/observation.ts'
import type { ObservationEntry } from '#shared/contracts/observations/observation-log.ts'
import { redactedText } from '#shared/secrecy/redacted-text.ts'
import { shortHash } from '#shared/text/ids.ts'

/** Signal whose rows the log contains. `key`: the signal's key in the ids of stored rows. `signal`: the name that clients see. */
export interface Source {
  key: string
  signal: string
  locationId: string | null
  /** Source of the results of a check in the ids of stored rows; null: senders report on the signal. */
  source: string | null
  /** Key of the checked signal, by which all its locations are found; null: senders report on the signal. */
  checked: string | null
}

const states = { 0: 'problem', 1: 'ok', 2: 'no_data' } as const

/** Returns the entry of an Observation. Stored rows of generation 2 have no source; their entries have the source `api`. */
export function pushedEntry(row: PushedObservationDocument, atUs: number, { signal, locationId }: Source): ObservationEntry {
  const { id, sentId, ok, value, labels, body, receivedAtUs, source, error, rejectReason } = row
  return {
    id: sentId ?? shortHash(id),
    signal,
    locationId,
    state: states[ok],
    value,
    labels: labels === null ? {} : (JSON.parse(labels) as Record<string, string>),
    body,
    atUs,
    receivedAtUs,
    source: source ?? 'api',
    reason: reasonOf(error),
    rejected: rejectReason,
  }
}

/** Returns the entry of a check. */
export function checkEntry(row: CheckObservationDocument, atUs: number, { signal, locationId }: Source): ObservationEntry {
  const { id, ok, totalMs, statusCode, error } = row
  return {
    id,
    signal,
    locationId,
    state: states[ok],
    value: totalMs,
    labels: statusCode === null ? {} : { status: String(statusCode) },
    body: null,
    atUs,
    receivedAtUs: atUs,
    source: 'worker',
    reason: reasonOf(error),
    rejected: null,
  }
}

const reasonOf = (error: string | null): string | null => (error === null || error === '' ? null : redactedText(error))
