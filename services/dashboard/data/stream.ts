// Event stream of the present workspace: calls listeners with the stream's events ("news"), and stores the instant at which the shown data
// were last current. The browser reopens a broken stream. A hidden tab closes its stream, because browsers limit HTTP/1.1 to six
// connections per origin.
import { signal } from '@preact/signals'
import { schedule, serverNow, setServerClock } from './clock.ts'

/** `live`: events arrive as they happen. `lost`: the page may be out of date. `asleep`: the tab is hidden. */
export type Link = 'connecting' | 'live' | 'lost' | 'asleep'

export const link = signal<Link>('connecting')
/** Instant of the latest event or keep-alive message. The shown data were current at this instant. */
export const heardAt = signal(serverNow())

/** The names of the events of `GET /api/v3/workspaces/{ws}/events`. `reset`: read everything again. */
const newsNames = ['row', 'gone', 'reset', 'incident', 'window', 'delivery', 'reading', 'template', 'prober'] as const
/**
 * `opened`: the first stream was opened. Events between the read of the page's data and this instant may be missing, so listeners must read
 * the data again.
 */
export type NewsName = (typeof newsNames)[number] | 'opened'
type Listener = (name: NewsName, data: unknown) => void
export type IsWanted = (name: NewsName, data: unknown) => boolean

/** The part of EventSource that this file uses. */
export interface Source {
  addEventListener(name: string, listener: (event: { data?: unknown }) => void): void
  readyState: number
  close(): void
}

const listeners = new Set<Listener>()

/**
 * Calls the listener for each event from now on. The returned function removes the listener. After `reset` a listener must read its data
 * again.
 */
export function onNews(listener: Listener): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/**
 * Calls `run` `ms` after a wanted event. All wanted events within these `ms` cause only one call. The returned function prevents further
 * calls.
 */
export function onGatheredNews(ms: number, isWanted: IsWanted, run: () => void): () => void {
  let cancel: (() => void) | null = null
  const silence = onNews((name, data) => {
    if (!isWanted(name, data)) return
    cancel ??= schedule(ms, () => {
      cancel = null
      run()
    })
  })
  return () => {
    silence()
    cancel?.()
  }
}

export const tellNews: Listener = (name, data) => {
  for (const listener of [...listeners]) listener(name, data)
}

export interface StreamControl {
  /** Closes the present stream and opens the stream of this workspace; null: opens no stream. */
  watch(workspaceId: string | null): void
  /** Must be called when the tab is shown or hidden. After the tab is shown again, all data are read again. */
  seen(isSeen: boolean): void
}

const closed = 2

/** Workspace of the data embedded in the page, and the id of the last event that these data include. */
interface Since {
  workspace: string | null
  news?: string | null
}

/**
 * `renew` reads the session again, and never rejects. The stream calls `renew` when rights have changed or the stream was refused. The
 * first stream begins after the event in `since`.
 */
export function createStream(
  open: (path: string) => Source,
  schedule: (ms: number, run: () => void) => () => void,
  renew: () => Promise<void> = async () => {},
  since: Since = { workspace: null },
  retryMs = 5_000,
): StreamControl {
  let source: Source | null = null
  let workspace: string | null = null
  let isSeen = true
  let cancelRetry = () => {}
  let isFirst = true

  const stop = () => {
    cancelRetry()
    source?.close()
    source = null
  }
  const start = () => {
    stop()
    if (workspace === null || !isSeen) return
    const known = workspace === since.workspace ? since.news : null
    since = { workspace: null }
    const mine = open(`/api/v3/workspaces/${encodeURIComponent(workspace)}/events${known ? `?after=${known}` : ''}`)
    // False if the stream continues after a known event: the server then sends the missing events, or `reset`.
    let isNew = !known
    source = mine
    mine.addEventListener('hello', ({ data }) => {
      const { at } = parsed(data) as { at?: string }
      if (typeof at === 'string') setServerClock(Date.parse(at))
      link.value = 'live'
      heardAt.value = serverNow()
      // Listeners read all data again only after a new stream was opened. A stream that the browser has reopened sends the missed events
      // itself.
      if (isNew) tellNews(isFirst ? 'opened' : 'reset', {})
      isNew = false
      isFirst = false
    })
    mine.addEventListener('error', () => {
      link.value = 'lost'
      // The browser itself reopens a broken stream, but not a stream that the server has refused.
      if (mine.readyState !== closed || source !== mine) return
      cancelRetry = schedule(retryMs, start)
      void renew()
    })
    mine.addEventListener('ended', ({ data }) => {
      const { why } = parsed(data) as { why?: string }
      if (why !== 'stopping') void renew()
    })
    for (const name of newsNames) {
      mine.addEventListener(name, ({ data }) => {
        link.value = 'live'
        heardAt.value = serverNow()
        tellNews(name, parsed(data))
      })
    }
  }
  return {
    watch: workspaceId => {
      workspace = workspaceId
      link.value = 'connecting'
      start()
    },
    seen: value => {
      isSeen = value
      link.value = isSeen ? 'connecting' : 'asleep'
      if (isSeen) start()
      else stop()
    },
  }
}

function parsed(data: unknown): unknown {
  if (typeof data !== 'string' || data === '') return {}
  try {
    return JSON.parse(data)
  } catch {
    return {}
  }
}
