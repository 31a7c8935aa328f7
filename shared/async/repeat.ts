// Work that is repeated on an injected clock, one run at a time.
import type { Cancel, Clock } from '#shared/time/clock.ts'

export interface Repeated {
  /** Begins a new run at once, or after the present run if one is in progress. Resolves when the new run has ended. */
  soon(): Promise<void>
  /** Begins no further run. Resolves when the present run has ended. */
  stop(): Promise<void>
}

export interface Repetition {
  clock: Pick<Clock, 'schedule'>
  /** Pause between the end of a run and the next run, ms. The first run begins after this pause, unless `soon` is called. */
  everyMs: number
  /** Pause after a run that rejects, ms; default: `everyMs`. */
  errorMs?: number
  onError?(error: unknown): void
}

/** Repeats `run` until it is stopped. If a run resolves with a number, the number is the pause until the next run, ms. */
export function repeat({ clock, everyMs, errorMs = everyMs, onError }: Repetition, run: () => unknown): Repeated {
  let cancel: Cancel = () => undefined
  let running: Promise<void> | null = null
  let isWanted = false
  let isStopped = false

  const schedule = (delayMs: number) => {
    if (!isStopped) cancel = clock.schedule(delayMs, begin)
  }
  const settle = async (work: Promise<unknown>) => {
    let pauseMs: unknown
    try {
      pauseMs = await work
    } catch (error) {
      pauseMs = errorMs
      onError?.(error)
    }
    running = null
    if (isWanted) await soon()
    else schedule(typeof pauseMs === 'number' ? pauseMs : everyMs)
  }
  const begin = () => {
    const work = run()
    if (work instanceof Promise) running = settle(work)
    else schedule(everyMs)
  }
  const soon = async (): Promise<void> => {
    isWanted = running !== null
    if (isStopped) return
    if (!isWanted) {
      cancel()
      begin()
    }
    await running
  }
  schedule(everyMs)
  return {
    soon,
    stop: async () => {
      isStopped = true
      cancel()
      await running
    },
  }
}

export interface Ticking {
  /** Begins the repetition; does nothing if the repetition already runs. */
  begin(): void
  stop(): void
}

/** Repeats `run` while `run` is needed. The timer ends at the first tick at which `isNeeded` returns false. */
export function repeatWhile(clock: Pick<Clock, 'schedule'>, everyMs: number, isNeeded: () => boolean, run: () => void): Ticking {
  let cancel: Cancel | null = null
  const begin = () => {
    cancel ??= clock.schedule(everyMs, tick)
  }
  const tick = () => {
    cancel = null
    if (!isNeeded()) return
    run()
    begin()
  }
  return {
    begin,
    stop: () => {
      cancel?.()
      cancel = null
    },
  }
}
