// Watch of the stream's leader: if the leader does not respond, no prober can publish. A feed does not show this fault, because the feed
// may be on another server.
import { type Repeated, repeat } from '#shared/async/repeat.ts'
import { limits } from '#shared/limits/limits.ts'
import type { KeeperContext } from '../context.ts'

export interface StreamListener {
  /** Called when the stream does not respond. The last request that got a response was sent `forMs` ms ago. */
  onStreamSilent(forMs: number): void
  /** Called when the stream responds again. */
  onStreamAnswer(): void
}

/** Queries the stream at regular intervals. */
export function watchStream(
  { bus, clock }: Pick<KeeperContext, 'bus' | 'clock'>,
  listener: StreamListener,
): Pick<Repeated, 'stop'> {
  const { streamAskMs, streamSilentMs } = limits.keeper
  let answeredAt = clock.monotonic()
  let isSilent = false
  const ask = async () => {
    const askedAt = clock.monotonic()
    await bus.observations.state()
    answeredAt = Math.max(answeredAt, askedAt)
    if (!isSilent || clock.monotonic() - answeredAt > streamSilentMs) return
    isSilent = false
    listener.onStreamAnswer()
  }
  const look = () => {
    const silentMs = clock.monotonic() - answeredAt
    if (!isSilent && silentMs > streamSilentMs) {
      isSilent = true
      listener.onStreamSilent(silentMs)
    }
    ask().catch(() => undefined)
  }
  return repeat({ clock, everyMs: streamAskMs }, look)
}
