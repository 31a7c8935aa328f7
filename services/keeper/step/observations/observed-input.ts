// Newest accepted observation that an input of an authored rule selects. Pure.
import type { SeriesDocument } from '#shared/contracts/observations/observation.ts'
import type { ObservedInput } from '#shared/contracts/subjects/subject.ts'
import { limits } from '#shared/limits/limits.ts'
import { redactedText } from '#shared/secrecy/redacted-text.ts'
import { firstCharacters } from '#shared/text/plain-text.ts'

/** `addedAt`: instant at which the input was added to the rules, ms. */
export const neverObserved = (addedAt: number): ObservedInput => ({
  addedAt,
  observedAtUs: null,
  ok: false,
  value: null,
  error: null,
})

/**
 * Returns whether this observation replaces the input's reading `known`. Of two observations for one instant, the later accepted one
 * counts.
 */
export function isLater(
  { observedAtUs, number }: Pick<SeriesDocument, 'observedAtUs' | 'number'>,
  known: ObservedInput,
): boolean {
  if (observedAtUs !== known.observedAtUs) return known.observedAtUs === null || known.observedAtUs < observedAtUs
  return (known.number ?? 0) < number
}

/**
 * Redacts the error, then shortens it, because the subject, evidence and records contain the error once for each input that reads the
 * observation.
 */
export const observedOf = ({
  observedAtUs,
  number,
  status,
  value,
  error,
}: Pick<SeriesDocument, 'observedAtUs' | 'number' | 'status' | 'value' | 'error'>): Omit<ObservedInput, 'addedAt'> => ({
  observedAtUs,
  number: number ?? 0,
  ok: status === 'ok',
  ...(status === 'no_data' ? { isNoData: true } : {}),
  value,
  error: error === '' ? null : firstCharacters(redactedText(error), limits.judging.reasonCharacters),
})
