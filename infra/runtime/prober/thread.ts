// A prober in a thread of its own, as the one that started it sees it: its checks then wait for nothing that the keeper or the gateway
// is doing, nor those for them.
import { Worker } from 'node:worker_threads'
import { limits } from '#shared/limits/limits.ts'
import type { Clock } from '#shared/time/clock.ts'
import type { CollectorPace } from '../collector-pace.ts'
import type { FromProber, ProberState, ProberThreadData, ToProber } from './messages.ts'
import type { MetricsJson, ProbingApart } from './probing.ts'

/** Resolves when the prober of the thread checks. Rejects where it could not start; then nothing of it is left. */
export async function startProberThread(
  data: ProberThreadData,
  { clock, pace, onLoad }: { clock: Clock; pace: CollectorPace; onLoad(): void },
): Promise<ProbingApart> {
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
  let state: ProberState = { checksPerSecond: 0, unready: [] }
  /** Its last figures, once it is over. */
  let last: MetricsJson | null = null

  const hear: { [K in FromProber['kind']]: (message: Extract<FromProber, { kind: K }>) => void } = {
    state: ({ checksPerSecond, unready }) => {
      state = { checksPerSecond, unready }
      started.resolve()
      onLoad()
    },
    metrics: ({ metrics }) => asked.shift()?.(metrics),
    collected: ({ at }) => paced.collected(at),
    stopped: ({ metrics }) => {
      last = metrics
      stopped.resolve()
    },
  }
  const end = (why: string) => {
    last ??= []
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
    unready: () => state.unready,
    checksPerSecond: () => state.checksPerSecond,
    metrics: () => {
      if (last !== null) return Promise.resolve(last)
      const { promise, resolve } = Promise.withResolvers<MetricsJson>()
      asked.push(resolve)
      send({ kind: 'metrics' })
      return promise
    },
    stop: async () => {
      send({ kind: 'stop' })
      // As long as a prober's own bounds allow: what it has seen is reported before it ends.
      const cancel = clock.schedule(limits.start.graceMs, stopped.resolve)
      await stopped.promise
      cancel()
      await worker.terminate()
    },
  }
}
