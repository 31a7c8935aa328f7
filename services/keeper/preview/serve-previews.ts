// Server of previews for gateways. It runs beside the rounds in short slices, so that no report and no deadline waits for a preview.
import { serve } from '#shared/bus/clients/serve.ts'
import { subjects } from '#shared/bus/subjects.ts'
import { Preview, type PreviewRule } from '#shared/contracts/resources/preview.ts'
import { AppError } from '#shared/errors.ts'
import { limits } from '#shared/limits/limits.ts'
import type { Clock } from '#shared/time/clock.ts'
import type { KeeperContext } from '../context.ts'
import { runPreview } from './run-preview.ts'

const bounds = limits.preview

export interface Previews {
  /** Stops the server, and abandons a preview that is running. */
  stop(): Promise<void>
}

/** Serves previews; any keeper can serve any preview. Resolves once requests are accepted. */
export async function servePreviews({ bus, clock, logger }: Pick<KeeperContext, 'bus' | 'clock' | 'logger'>): Promise<Previews> {
  const stop = new AbortController()
  let running = 0
  const subscription = await serve(bus, {
    subject: subjects.preview,
    queue: 'keepers',
    contractOf: () => Preview,
    logger,
    serve: async body => {
      if (running >= bounds.atOnce || stop.signal.aborted) throw new AppError('busy', 'Too many previews at once')
      running += 1
      try {
        return await inSlices(runPreview(body as Preview, clock.now()), clock, stop.signal)
      } finally {
        running -= 1
      }
    },
  })
  return {
    stop: async () => {
      stop.abort()
      await subscription.close()
    },
  }
}

/** Runs a preview in slices. Throws `unavailable` if the reply would be too late, or this keeper stops. */
async function inSlices(
  run: Generator<void, PreviewRule[]>,
  clock: Pick<Clock, 'monotonic'>,
  stop: AbortSignal,
): Promise<PreviewRule[]> {
  const startedAt = clock.monotonic()
  for (let sliceAt = startedAt; ; ) {
    const next = run.next()
    if (next.done) return next.value
    const at = clock.monotonic()
    if (at - sliceAt < bounds.sliceMs) continue
    if (stop.aborted || at - startedAt > bounds.answerMs) throw new AppError('unavailable', 'The preview could not be finished')
    await new Promise<void>(resolve => setImmediate(resolve))
    sliceAt = clock.monotonic()
  }
}
