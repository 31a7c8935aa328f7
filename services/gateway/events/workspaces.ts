// Watched workspaces. Each of them has one bus subscription and one channel. Subscription and channel stay for a moment
// after the last stream of the workspace has ended.
import type { Bus, Subscription } from '#shared/bus/port.ts'
import { subjects } from '#shared/bus/subjects.ts'
import type { News } from '#shared/contracts/news.ts'
import type { IncidentIds } from '#shared/incidents/incident-ids.ts'
import { limits } from '#shared/limits/limits.ts'
import type { Cancel, Clock } from '#shared/time/clock.ts'
import type { LocationNames } from '../subjects/location-names.ts'
import { sayRemembered } from '../subjects/named-causes.ts'
import { type Channel, createChannel } from './channel.ts'
import type { EventMetrics } from './event-metrics.ts'
import { eventOf, type ToldEvent } from './event-of.ts'
import type { Stream } from './stream.ts'

export interface WatchedWorkspace {
  channel: Channel
  streams: Set<Stream>
  /** Resolves once the gateway receives news of the workspace. */
  subscribed: Promise<Subscription>
  /**
   * Schedules the removal of the workspace's subscription and channel. Until the removal, a browser can reconnect without missing events.
   */
  leaveSoon(): void
  /** Cancels the removal, because a stream was opened. */
  stay(): void
}

export interface WatchedWorkspaces {
  watch(workspaceId: string): WatchedWorkspace
  /** Sends an event to every stream of this gateway. */
  tellAll(told: ToldEvent): void
  stop(): Promise<void>
}

interface WorkspaceEventsContext {
  bus: Bus
  clock: Clock
  incidentIds: IncidentIds
  locationNames: Pick<LocationNames, 'remembered'>
  metrics: EventMetrics
}

export function watchWorkspaces({ bus, clock, incidentIds, locationNames, metrics }: WorkspaceEventsContext): WatchedWorkspaces {
  const workspaces = new Map<string, WatchedWorkspace>()
  const words = { encode: incidentIds.encode, sayCause: sayRemembered(locationNames), placeOf: locationNames.remembered }
  const drop = (workspaceId: string): Promise<void> => {
    const watched = workspaces.get(workspaceId)
    workspaces.delete(workspaceId)
    watched?.stay()
    watched?.channel.stop()
    const closing = watched?.subscribed.then(subscription => subscription.close())
    return closing?.catch(() => undefined) ?? Promise.resolve()
  }
  const make = (workspaceId: string): WatchedWorkspace => {
    const streams = new Set<Stream>()
    const channel = createChannel(clock, bytes => {
      metrics.sent(streams.size)
      for (const stream of streams) stream.write(bytes)
    })
    const subscribed = bus.subscribe(subjects.statesOf(workspaceId), ({ body }) => {
      const told = eventOf(body as News, words)
      if (told !== null) channel.tell(told)
    })
    let cancel: Cancel = () => undefined
    const stay = () => cancel()
    const leaveSoon = () => {
      cancel()
      cancel = clock.schedule(limits.events.lingerMs, () => void drop(workspaceId))
    }
    return { channel, streams, subscribed, stay, leaveSoon }
  }
  const forgetConnection = bus.onConnection(connected => {
    if (connected) for (const { channel } of workspaces.values()) channel.reset()
  })
  return {
    watch: workspaceId => {
      const watched = workspaces.get(workspaceId) ?? make(workspaceId)
      workspaces.set(workspaceId, watched)
      return watched
    },
    tellAll: told => {
      for (const { channel } of workspaces.values()) channel.tell(told)
    },
    stop: async () => {
      forgetConnection()
      await Promise.all([...workspaces.keys()].map(drop))
    },
  }
}
