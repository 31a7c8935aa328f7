// A preview reads Observations with their instants beside its Template, and the instant at which the rules are shown. The route and
// `./watchkeeper template check` refuse them in the same words. Rule: docs/reference/v3.md, 3.11.
import { type Static, Type } from 'typebox'
import { type Preview, previewObservations } from '#shared/contracts/preview.ts'
import type { SentObservation } from '#shared/contracts/resource-commands.ts'
import type { Template } from '#shared/contracts/template.ts'
import { AppError } from '#shared/errors.ts'
import { parseTimestamp } from '../rfc3339.ts'
import { observation, sentObservation } from './observations.ts'

const PreviewObservation = Type.Object(
  { ...observation, at: Type.String({ description: 'RFC 3339 with a zone.', examples: ['2026-10-05T12:00:00Z'] }) },
  { additionalProperties: false },
)

export const previewFields = {
  meta: Type.Optional(Type.Object({}, { additionalProperties: true, description: 'Answers to the fields of the Template.' })),
  observations: Type.Optional(Type.Array(PreviewObservation, { maxItems: previewObservations })),
  at: Type.Optional(Type.String({ description: 'The instant of the last Observation unless sent.' })),
}
export const PreviewFields = Type.Object(previewFields, { additionalProperties: false })
/** A member that is null counts as absent. */
export type SentPreview = { [Name in keyof Static<typeof PreviewFields>]?: Static<typeof PreviewFields>[Name] | null }

/** Throws AppError `validation` with the field at fault. */
export function readPreview(template: Template, { meta, observations, at }: SentPreview): Preview {
  return {
    template,
    answers: { ...meta },
    observations: (observations ?? []).map(readObservation),
    atUs: at == null ? null : instantOf(at),
  }
}

/** A body is part of no judgement. */
function readObservation(sent: Static<typeof PreviewObservation>, i: number): SentObservation {
  try {
    return { ...sentObservation(sent), body: null }
  } catch (error) {
    if (!(error instanceof AppError) || error.facts.field === undefined) throw error
    throw new AppError(error.code, error.message, { facts: { field: `observations.${i}.${error.facts.field}` } })
  }
}

function instantOf(at: string): number {
  const read = parseTimestamp(at)
  if (read !== null) return read
  throw new AppError('validation', "Field 'at' must be an RFC 3339 instant with a zone", { facts: { field: 'at' } })
}
