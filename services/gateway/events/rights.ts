// Checks of the rights of people who watch streams. The rights of a person are checked soon after they may have changed, and every minute.
// If a person has lost the rights, the person's streams are ended.
import { repeatWhile } from '#shared/async/repeat.ts'
import type { Revoked } from '#shared/bus/subjects.ts'
import { limits } from '#shared/limits/limits.ts'
import type { Clock } from '#shared/time/clock.ts'
import type { Stream } from './stream.ts'

export interface RightsWatch {
  /** Schedules checks of the streams that a revocation concerns. Null: the revocation is unreadable, so all streams are checked. */
  revoke(revoked: { what: Revoked; id: string } | null): void
  /** Schedules a check of every stream. */
  forgetAll(): void
  /** Starts the repeated checks if they do not run yet. Called when a stream was opened. */
  begin(): void
  stop(): void
}

interface Looked {
  /** Instant of the latest check on the monotonic clock. */
  at: number
  /** Number of consecutive checks without a response. */
  failed: number
}

const bounds = limits.events

export function watchRights(clock: Clock, streams: ReadonlySet<Stream>): RightsWatch {
  const looked = new WeakMap<Stream, Looked>()
  const queue = new Set<Stream>()
  let running = 0

  const look = async (stream: Stream) => {
    const before = looked.get(stream)
    const failed = (before?.failed ?? 0) + 1
    const why = await stream.person.whyNot().catch(() => (failed >= bounds.failedLooks ? stream.person.over : undefined))
    looked.set(stream, { at: clock.monotonic(), failed: why === undefined ? failed : 0 })
    if (why != null) stream.end(why)
  }
  const work = () => {
    for (const stream of queue) {
      if (running >= bounds.looksAtOnce) return
      queue.delete(stream)
      if (!streams.has(stream)) continue
      running++
      void look(stream).finally(() => {
        running--
        work()
      })
    }
  }
  const lookAt = (which: (stream: Stream) => boolean) => {
    for (const stream of streams) if (which(stream)) queue.add(stream)
    work()
  }
  /**
   * Whether a stream must be checked. A new stream is checked at once, because the person's rights may have changed while the stream was
   * opened.
   */
  const isDue = (stream: Stream): boolean => {
    const last = looked.get(stream)
    return last === undefined || clock.monotonic() - last.at >= bounds.lookMs
  }
  const looking = repeatWhile(
    clock,
    bounds.lookTickMs,
    () => streams.size > 0,
    () => lookAt(isDue),
  )
  return {
    revoke: revoked => {
      if (revoked === null) lookAt(() => true)
      else if (revoked.what === 'user') lookAt(({ person }) => person.userId === revoked.id)
      else lookAt(({ person }) => person.holder === `${revoked.what}:${revoked.id}`)
    },
    forgetAll: () => lookAt(() => true),
    begin: looking.begin,
    stop: looking.stop,
  }
}
