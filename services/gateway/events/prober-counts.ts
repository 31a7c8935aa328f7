// Number of live probers at each location. A changed number is sent to the streams. Presence messages of probers are received only after
// the first event stream was opened.

import { once } from '#shared/async/once.ts'
import { repeatWhile } from '#shared/async/repeat.ts'
import type { Bus } from '#shared/bus/port.ts'
import { type ProberPresence, watchProbers } from '#shared/bus/probers/prober-presence.ts'
import type { SessionEventData } from '#shared/contracts/session/session-events.ts'
import { limits } from '#shared/limits/limits.ts'
import type { Clock } from '#shared/time/clock.ts'

export interface ProberCounts {
  /** Starts to receive presence messages. Resolves once the messages are received. May be called repeatedly. */
  begin(): Promise<void>
  stop(): Promise<void>
}

export function watchProberCounts(
  bus: Pick<Bus, 'bucket'>,
  clock: Clock,
  { tell, isWatched }: { tell(count: SessionEventData['prober']): void; isWatched(): boolean },
): ProberCounts {
  const counts = new Map<string, number>()
  let presence: ProberPresence | null = null

  const compare = (locationId: string) => {
    const count = presence?.activeWorkers(locationId) ?? 0
    if (counts.get(locationId) === count) return
    const isFirst = !counts.has(locationId)
    counts.set(locationId, count)
    if (presence !== null && !isFirst) tell({ location_id: locationId, active_workers_count: count })
  }
  /** Counts again at intervals, because a prober that dies sends no message about its end: it only stops sending presence messages. */
  const looking = repeatWhile(clock, limits.presence.beatMs, isWatched, () => {
    for (const locationId of counts.keys()) compare(locationId)
  })
  const watched = once(async () => {
    presence = await watchProbers(bus.bucket('presence'), clock, ({ locationId }) => compare(locationId))
  })
  return {
    begin: async () => {
      await watched()
      looking.begin()
    },
    stop: async () => {
      looking.stop()
      await presence?.close()
    },
  }
}
