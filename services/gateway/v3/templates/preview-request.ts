// Reader of the request for a preview: the Observations with their instants, and the instant for which the state of the rules is shown. The
// route and the command `./watchkeeper template check` use this reader, so the same fault gets the same refusal in both. Reference:
// docs/reference/v3.md, 3.11.

import { type Static, Type } from 'typebox'
import { Strict } from '#shared/contracts/common.ts'
import { type Preview, previewObservations } from '#shared/contracts/resources/preview.ts'
import type { SentObservation } from '#shared/contracts/resources/resource-commands.ts'
import type { Template } from '#shared/contracts/resources/template.ts'
import { AppError } from '#shared/errors.ts'
import { parseTimestamp } from '../../body/rfc3339.ts'
import { Meta } from '../common.ts'
import { observation, sentObservation } from '../observations/observations.ts'

const PreviewObservation = Strict({
  ...observation,
  at: Type.String({ description: 'RFC 3339 with a zone.', examples: ['2026-10-05T12:00:00Z'] }),
})

export const previewFields = {
  meta: Type.Optional(Meta),
  observations: Type.Optional(Type.Array(PreviewObservation, { maxItems: previewObservations })),
  at: Type.Optional(Type.String({ description: 'The instant of the last Observation unless sent.' })),
}
export const PreviewFields = Strict(previewFields)
/** Request for a preview as the client sent it. A member sent as null counts as absent. */
export type SentPreview = { [Name in keyof Static<typeof PreviewFields>]?: Static<typeof PreviewFields>[Name] | null }

/** Returns the preview's inputs. Throws AppError `validation` with the faulty field. */
export function readPreview(template: Template, { meta, observations, at }: SentPreview): Preview {
  return {
    template,
    answers: { ...meta },
    observations: (observations ?? []).map(readObservation),
    atUs: at == null ? null : instantOf(at),
  }
}

/** Reads an Observation. Its body is left out, because no rule reads the body. */
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
