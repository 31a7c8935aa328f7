// What an input of an authored rule keeps of the observations that it selects: the newest accepted one. Pure.
import type { SeriesDocument } from '#shared/contracts/observation.ts'
import type { ObservedInput } from '#shared/contracts/subject.ts'
import { limits } from '#shared/limits.ts'
import { firstCharacters } from '#shared/plain-text.ts'
import { redactedText } from '#shared/redaction.ts'

/** `addedAt`: when the input became part of the rules, ms. */
export const neverObserved = (addedAt: number): ObservedInput => ({
  addedAt,
  observedAtUs: null,
  ok: false,
  value: null,
  error: null,
})

/** Whether an input that has read `known` reads the observation instead: of two for one instant, the one accepted last. */
export function isLater(
  { observedAtUs, number }: Pick<SeriesDocument, 'observedAtUs' | 'number'>,
  known: ObservedInput,
): boolean {
  if (observedAtUs !== known.observedAtUs) return known.observedAtUs === null || known.observedAtUs < observedAtUs
  return (number ?? 0) > (known.number ?? 0)
}

/** The error is redacted, then cut: it is kept in the subject, in evidence and in records, once for each input that reads it. */
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
