// Events of one workspace for the streams that watch the workspace. Events are collected for a moment, then written as one text to all
// streams. The latest texts are kept, so that a browser that reconnects gets the texts that it missed. The channel neither
// opens nor ends a stream of a browser.

import { limits } from '#shared/limits/limits.ts'
import { randomId } from '#shared/text/ids.ts'
import type { Cancel, Clock } from '#shared/time/clock.ts'
import { timestamp } from '../body/instants.ts'
import type { ToldEvent } from './event-of.ts'

export interface Channel {
  tell(told: ToldEvent): void
  /**
   * Called when events from the bus may have been lost. Sends `reset` to every stream. A browser that later reconnects with an id from
   * before this call gets `reset` too.
   */
  reset(): void
  /**
   * Returns the first text of a stream. `lastEventId`: last id that the browser received, or an id from `position`; null: the stream has no
   * earlier id.
   */
  greeting(lastEventId: string | null): string
  /**
   * Returns an id for `greeting`. A stream with this id receives all later events. It also receives events that are still being collected,
   * because a read of the store at this moment may lack the changes in these events.
   */
  position(): string
  stop(): void
}

const bounds = limits.events

/** Creates a channel. `write` receives the text for all streams of the workspace. */
export function createChannel(clock: Clock, write: (text: Buffer) => void): Channel {
  let epoch = randomId(8)
  let lastId = 0
  let waiting = new Map<string, ToldEvent>()
  let cancel: Cancel | null = null
  const recent: { id: number; text: string }[] = []

  const textOf = (event: string, data: unknown) => `id: ${epoch}.${lastId}\nevent: ${event}\ndata: ${JSON.stringify(data)}\n\n`
  const flush = () => {
    cancel?.()
    cancel = null
    const texts: string[] = []
    for (const { event, data } of waiting.values()) {
      lastId++
      const text = textOf(event, data)
      recent.push({ id: lastId, text })
      texts.push(text)
    }
    waiting = new Map()
    recent.splice(0, recent.length - bounds.remembered)
    if (texts.length > 0) write(Buffer.from(texts.join('')))
  }
  /** Returns the texts after an id; null: some of these texts are no longer kept. */
  const missedSince = (lastEventId: string): string[] | null => {
    const [theirEpoch, id = ''] = lastEventId.split('.')
    const oldest = recent[0]?.id ?? lastId + 1
    if (theirEpoch !== epoch || !/^\d{1,15}$/.test(id) || Number(id) > lastId || Number(id) < oldest - 1) return null
    return recent.filter(entry => entry.id > Number(id)).map(({ text }) => text)
  }
  return {
    tell: told => {
      const key = `${told.event} ${told.key}`
      // A newer event replaces the waiting event with the same key, and becomes the last of the waiting events.
      waiting.delete(key)
      waiting.set(key, told)
      if (waiting.size >= bounds.gathered) flush()
      else cancel ??= clock.schedule(bounds.gatherMs, flush)
    },
    reset: () => {
      flush()
      epoch = randomId(8)
      recent.length = 0
      lastId = 0
      write(Buffer.from(textOf('reset', { at: timestamp(clock.now()) })))
    },
    greeting: lastEventId => {
      const missed = lastEventId === null ? [] : missedSince(lastEventId)
      const at = timestamp(clock.now())
      // Missed texts are sent before `hello`. If the connection breaks before `hello`, the browser reconnects with the id of the last text
      // that it received.
      return `${missed === null ? textOf('reset', { at }) : missed.join('')}${textOf('hello', { at })}`
    },
    position: () => `${epoch}.${lastId}`,
    stop: () => {
      cancel?.()
      cancel = null
    },
  }
}
