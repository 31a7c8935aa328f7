// The client of the keepers for previews: any keeper can run a preview, whatever partitions it holds.
import { requestWithRetry } from '#shared/bus/clients/request-with-retry.ts'
import type { Bus } from '#shared/bus/port.ts'
import { subjects } from '#shared/bus/subjects.ts'
import type { Preview, PreviewRule } from '#shared/contracts/resources/preview.ts'
import { limits } from '#shared/limits/limits.ts'
import type { Clock } from '#shared/time/clock.ts'

export interface PreviewClient {
  /** Runs a preview. Throws the keeper's AppError, or `unavailable` after `limits.preview.answerMs`. Stores nothing; may be repeated. */
  preview(request: Preview, traceId?: string): Promise<PreviewRule[]>
}

export function createPreviewClient(bus: Bus, clock: Clock): PreviewClient {
  return {
    preview: async (request, traceId) =>
      (await requestWithRetry(bus, clock, {
        who: 'keeper',
        subject: subjects.preview,
        body: request,
        traceId,
        onceMs: limits.preview.answerMs,
      })) as PreviewRule[],
  }
}
