// Starter of a prober in a worker thread, so that checks and the other services do not wait for each other (ADR 14). Owns the thread.
import { Worker } from 'node:worker_threads'
import { limits } from '#shared/limits/limits.ts'
import type { Clock } from '#shared/time/clock.ts'
import type { CollectorPace } from '../collector-pace.ts'
import type { FromProber, MetricsJson, ProberThread, ProberThreadData, ToProber } from './messages.ts'

/** Resolves once the prober in the thread has started its checks. Rejects if the prober could not start; the thread has then ended. */
export async function startProberThread(
  data: ProberThreadData,
  { clock, pace }: { clock: Clock; pace: CollectorPace },
): Promise<ProberThread> {
  const worker = new Worker(new URL('./worker.ts', import.meta.url), {
    workerData: data,
    name: 'prober',
    execArgv: ['--disable-warning=ExperimentalWarning'],
    resourceLimits: limits.proberPlace.threadMemory,
  })
  const send = (message: ToProber) => worker.postMessage(message)
  const paced = pace.join(() => send({ kind: 'collect' }))
  const ended = Promise.withResolvers<string>()
  const started = Promise.withResolvers<void>()
  const stopped = Promise.withResolvers<void>()
  const asked: ((metrics: MetricsJson) => void)[] = []
  let reasons: string[] = []
  let last: MetricsJson = []
  let hasEnded = false

  const hear: { [K in FromProber['kind']]: (message: Extract<FromProber, { kind: K }>) => void } = {
    state: ({ unready }) => {
      reasons = unready
      started.resolve()
    },
    metrics: ({ metrics }) => {
      last = metrics
      asked.shift()?.(metrics)
    },
    collected: ({ at }) => paced.collected(at),
    stopped: ({ metrics }) => {
      last = metrics
      hasEnded = true
      stopped.resolve()
    },
  }
  const end = (why: string) => {
    hasEnded = true
    paced.leave()
    started.reject(new Error(why))
    ended.resolve(why)
    stopped.resolve()
    for (const resolve of asked.splice(0)) resolve(last)
  }
  worker.on('message', (message: FromProber) => hear[message.kind](message as never))
  let failure: string | null = null
  worker.once('error', error => {
    failure = `the thread of the prober failed: ${error.message}`
  })
  worker.once('exit', code => end(failure ?? `the thread of the prober ended with ${code}`))
  await started.promise

  return {
    ended: ended.promise,
    unready: () => reasons,
    metrics: () => {
      if (hasEnded) return Promise.resolve(last)
      const { promise, resolve } = Promise.withResolvers<MetricsJson>()
      asked.push(resolve)
      send({ kind: 'metrics' })
      return promise
    },
    stop: async () => {
      send({ kind: 'stop' })
      // Waits as long as a prober's stop may take, so that results are reported before the thread ends.
      const cancel = clock.schedule(limits.start.graceMs, stopped.resolve)
      await stopped.promise
      cancel()
      await worker.terminate()
    },
  }
}
