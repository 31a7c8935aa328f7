// Whether the stream takes reports: its leader answers, or nobody can publish. A feed alone does not show that: it lives on a server of its own.
import { limits } from '#shared/limits.ts'
import type { Core } from './core.ts'

export interface StreamListener {
  /** The stream does not answer. It answered the last question that was asked `forMs` ms ago or earlier. */
  onStreamSilent(forMs: number): void
  /** It answers again. */
  onStreamAnswer(): void
}

/** Asks at regular intervals. */
export function watchStream({ bus, clock }: Pick<Core, 'bus' | 'clock'>, listener: StreamListener): { stop(): void } {
  const { streamAskMs, streamSilentMs } = limits.keeper
  let answeredAt = clock.monotonic()
  let isSilent = false
  let isStopped = false
  const ask = async () => {
    const askedAt = clock.monotonic()
    await bus.observations.state()
    answeredAt = Math.max(answeredAt, askedAt)
    if (!isSilent || clock.monotonic() - answeredAt > streamSilentMs) return
    isSilent = false
    listener.onStreamAnswer()
  }
  const again = () => {
    if (isStopped) return
    const silentMs = clock.monotonic() - answeredAt
    if (!isSilent && silentMs > streamSilentMs) {
      isSilent = true
      listener.onStreamSilent(silentMs)
    }
    ask().catch(() => undefined)
    cancel = clock.after(streamAskMs, again)
  }
  let cancel = clock.after(streamAskMs, again)
  return {
    stop: () => {
      isStopped = true
      cancel()
    },
  }
}
