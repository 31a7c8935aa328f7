// Data embedded in the page, so that the first view needs no second request.
import type { MonitorDetail } from '#shared/contracts/session/session-monitor.ts'
import type { MonitorPage } from '#shared/contracts/session/session-monitors.ts'
import type { Session } from './session.ts'

export interface FirstData {
  /** Instant of the server's clock at which the page was made, ms. */
  at: number
  version: string
  session: Session
  /** Id of the present workspace; null: the person is a member of no workspace. */
  workspace: string | null
  /** Id in the event stream after which events may be missing in this data; absent or null: unknown. */
  news?: string | null
  /** First rows of the list, on the monitoring page. */
  list?: MonitorPage
  /** The monitor, on the page of a monitor. */
  monitor?: MonitorDetail
}

/** Reads the element that the gateway wrote. Throws if the page has none. */
export function readFirst<T>(page: { getElementById(id: string): { textContent: string | null } | null }): T {
  const text = page.getElementById('first')?.textContent
  if (typeof text !== 'string') throw new Error('Invariant broken: the page holds no first data')
  return JSON.parse(text)
}

let view: Pick<FirstData, 'list' | 'monitor'> = {}

/** Keeps the data embedded in the page until a component takes it. */
export function keepFirstView({ list, monitor }: FirstData): void {
  view = { ...(list && { list }), ...(monitor && { monitor }) }
}

/** Returns a part of the data embedded in the page. Returns null from the second call on. */
export function takeFirst<Part extends 'list' | 'monitor'>(part: Part): NonNullable<FirstData[Part]> | null {
  const taken = view[part] ?? null
  delete view[part]
  return taken
}
