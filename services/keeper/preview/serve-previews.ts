// Previews that gateways ask for, run beside the rounds of this keeper in short slices: no report and no deadline waits for one.
import { serve } from '#shared/bus/serve.ts'
import { subjects } from '#shared/bus/subjects.ts'
import type { Clock } from '#shared/clock.ts'
import { Preview, type PreviewRule } from '#shared/contracts/preview.ts'
import { AppError } from '#shared/errors.ts'
import { limits } from '#shared/limits.ts'
import type { Core } from '../core.ts'
import { runPreview } from './run-preview.ts'

const bounds = limits.preview

export interface Previews {
  /** A preview under way is given up. */
  stop(): Promise<void>
}

/** Resolves once previews are taken. Any keeper serves any of them. */
export async function servePreviews({ bus, clock, logger }: Pick<Core, 'bus' | 'clock' | 'logger'>): Promise<Previews> {
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

/** Throws `unavailable` once the answer would come too late, or this keeper stops. */
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
