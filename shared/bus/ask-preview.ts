// The client of the keepers for previews: any of them runs one, whatever partitions it holds.
import { requestPatiently } from '#shared/bus/patient-request.ts'
import type { Bus } from '#shared/bus/port.ts'
import { subjects } from '#shared/bus/subjects.ts'
import type { Clock } from '#shared/clock.ts'
import type { Preview, PreviewRule } from '#shared/contracts/preview.ts'
import { limits } from '#shared/limits.ts'

export interface PreviewClient {
  /** Throws the keeper's AppError, or `unavailable` when the time of an answer is over. Stores nothing: it may be asked again. */
  preview(request: Preview, traceId?: string): Promise<PreviewRule[]>
}

export function createPreviewClient(bus: Bus, clock: Clock): PreviewClient {
  return {
    preview: async (request, traceId) =>
      (await requestPatiently(bus, clock, {
        who: 'keeper',
        subject: subjects.preview,
        body: request,
        traceId,
        onceMs: limits.preview.answerMs,
      })) as PreviewRule[],
  }
}
