// Open event streams of this gateway. The hub bounds the number of streams, periodically checks the rights of the person who watches a
// stream, and ends all streams before the gateway closes.

import type { FastifyReply } from 'fastify'
import { repeatWhile } from '#shared/async/repeat.ts'
import type { Bus } from '#shared/bus/port.ts'
import { AppError } from '#shared/errors.ts'
import type { IncidentIds } from '#shared/incidents/incident-ids.ts'
import { limits, second } from '#shared/limits/limits.ts'
import type { Clock } from '#shared/time/clock.ts'
import type { LocationNames } from '../subjects/location-names.ts'
import type { EventMetrics } from './event-metrics.ts'
import { watchProberCounts } from './prober-counts.ts'
import { type RightsWatch, watchRights } from './rights.ts'
import { openStream, type Stream, type Watcher } from './stream.ts'
import { watchWorkspaces } from './workspaces.ts'

export interface EventHub extends Pick<RightsWatch, 'revoke' | 'forgetAll'> {
  /** Responds with a stream of the workspace's events. Throws `busy` before the response starts. */
  open(workspaceId: string, reply: FastifyReply, watcher: Watcher, lastEventId: string | null): Promise<void>
  /**
   * Returns an id that the browser passes as `lastEventId` within the next minute. The browser's stream then receives all events since this
   * call, or `reset`. Null: the gateway cannot receive events now. Never rejects.
   */
  position(workspaceId: string): Promise<string | null>
  /** Ends every stream. After that, new streams are refused. */
  stop(): Promise<void>
}

export interface HubContext {
  bus: Bus
  clock: Clock
  incidentIds: IncidentIds
  locationNames: Pick<LocationNames, 'remembered'>
  metrics: EventMetrics
}

const bounds = limits.events

export function createEventHub(context: HubContext): EventHub {
  const { bus, clock, metrics } = context
  const workspaces = watchWorkspaces(context)
  const streams = new Set<Stream>()
  const rights = watchRights(clock, streams)
  const isWatched = () => streams.size > 0
  const probers = watchProberCounts(bus, clock, {
    isWatched,
    tell: data => workspaces.tellAll({ event: 'prober', key: data.location_id, data }),
  })
  let opened = 0
  let isStopped = false
  const beats = repeatWhile(clock, bounds.beatMs, isWatched, () => {
    for (const stream of streams) stream.write(':\n\n')
  })

  return {
    open: async (workspaceId, reply, watcher, lastEventId) => {
      requireRoom(streams, watcher, isStopped)
      const watched = workspaces.watch(workspaceId)
      watched.stay()
      const close = (stream: Stream) => {
        streams.delete(stream)
        watched.streams.delete(stream)
        metrics.open(streams.size)
        if (watched.streams.size === 0) watched.leaveSoon()
      }
      try {
        await Promise.all([watched.subscribed, probers.begin()])
        requireRoom(streams, watcher, isStopped)
      } catch (error) {
        if (watched.streams.size === 0) watched.leaveSoon()
        throw error
      }
      watched.stay()
      const stream = openStream(reply, watcher, { closed: close, cut: metrics.cut })
      streams.add(stream)
      watched.streams.add(stream)
      metrics.open(streams.size)
      beats.begin()
      rights.begin()
      // The browser may have disconnected before its stream was registered.
      if (reply.raw.destroyed) return close(stream)
      // The first bytes are sent at once, because a browser or a proxy regards a stream as open only when the first bytes arrive.
      stream.write(`retry: ${retryMs(opened++)}\n\n${watched.channel.greeting(lastEventId)}`)
    },
    position: async workspaceId => {
      if (isStopped) return null
      const { channel, streams, subscribed, leaveSoon } = workspaces.watch(workspaceId)
      if (streams.size === 0) leaveSoon()
      const isHeard = await subscribed.then(
        () => true,
        () => false,
      )
      return isHeard ? channel.position() : null
    },
    revoke: rights.revoke,
    forgetAll: rights.forgetAll,
    stop: async () => {
      isStopped = true
      rights.stop()
      beats.stop()
      for (const stream of streams) stream.end('stopping')
      await Promise.all([workspaces.stop(), probers.stop()])
    },
  }
}

/** Returns the reconnect delay, ms. Delays differ, so that not all browsers of a stopped gateway reconnect at the same moment. */
const retryMs = (opened: number): number => bounds.retryMs + ((opened * 617) % bounds.retryMs)

/** Throws if no further stream may be opened. Called before the response starts. */
function requireRoom(streams: ReadonlySet<Stream>, { userId }: Watcher, isStopped: boolean): void {
  if (isStopped || streams.size >= bounds.streams) throw tooMany('Read again now and then, and try in a moment.')
  let mine = 0
  for (const { person } of streams) if (person.userId === userId) mine++
  if (mine >= bounds.streamsPerPerson)
    throw tooMany('Close other pages and programs of yours that watch, or read again now and then.')
}

const tooMany = (advice: string): AppError =>
  new AppError('busy', 'Too many event streams', {
    details: `Too many event streams. ${advice}`,
    retryAfterS: Math.ceil(bounds.fullRetryMs / second),
  })
