// Server of previews for gateways. It runs beside the rounds in short slices, so that no report and no deadline waits for a preview. All
// accepted previews run at once, a slice each by turns, so that no workspace and no caller waits for the previews of others.
import { serve } from '#shared/bus/clients/serve.ts'
import { subjects } from '#shared/bus/subjects.ts'
import { Preview, type PreviewRule } from '#shared/contracts/resources/preview.ts'
import { AppError } from '#shared/errors.ts'
import { limits } from '#shared/limits/limits.ts'
import type { Clock } from '#shared/time/clock.ts'
import type { KeeperContext } from '../context.ts'
import { FairQueue, type Owned } from './fair-queue.ts'
import { runPreview } from './run-preview.ts'

const bounds = limits.preview

export interface Previews {
  /** Stops the server, and abandons the previews that are running. */
  stop(): Promise<void>
}

interface Job extends Owned {
  run: Generator<void, PreviewRule[]>
  acceptedAt: number
  resolve(rules: PreviewRule[]): void
  reject(error: unknown): void
}

/** Serves previews; any keeper can serve any preview. Resolves once requests are accepted. */
export async function servePreviews({ bus, clock, logger }: Pick<KeeperContext, 'bus' | 'clock' | 'logger'>): Promise<Previews> {
  const stop = new AbortController()
  const queue = new FairQueue<Job>(bounds)
  let isWorking = false
  const work = async () => {
    isWorking = true
    for (let job = queue.next(); job !== null; job = queue.next()) {
      if (runSlice(job, clock, stop.signal)) queue.remove(job)
      else await new Promise<void>(resolve => setImmediate(resolve))
    }
    isWorking = false
  }
  const subscription = await serve(bus, {
    subject: subjects.preview,
    queue: 'keepers',
    contractOf: () => Preview,
    logger,
    serve: body =>
      new Promise((resolve, reject) => {
        const preview = body as Preview
        const { workspaceId = '', callerId = '' } = preview
        const run = runPreview(preview, clock.now())
        const isTaken =
          !stop.signal.aborted && queue.add({ workspaceId, callerId, run, acceptedAt: clock.monotonic(), resolve, reject })
        if (!isTaken) reject(new AppError('busy', 'Too many previews at once'))
        else if (!isWorking) void work()
      }),
  })
  return {
    stop: async () => {
      stop.abort()
      await subscription.close()
    },
  }
}

/**
 * Runs a preview for one slice. Returns true if it has ended. It also ends, with `unavailable`, if its reply would be too late or this keeper
 * stops.
 */
function runSlice(job: Job, clock: Pick<Clock, 'monotonic'>, stop: AbortSignal): boolean {
  const sliceAt = clock.monotonic()
  try {
    for (let at = sliceAt; at - sliceAt < bounds.sliceMs; at = clock.monotonic()) {
      if (stop.aborted || at - job.acceptedAt > bounds.answerMs)
        throw new AppError('unavailable', 'The preview could not be finished')
      const next = job.run.next()
      if (!next.done) continue
      job.resolve(next.value)
      return true
    }
    return false
  } catch (error) {
    job.reject(error)
    return true
  }
}
