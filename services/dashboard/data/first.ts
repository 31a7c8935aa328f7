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
  /**
   * Id of an event of the stream: the embedded data surely include this event and all events before it. Absent or null: no such event is
   * known.
   */
  news?: string | null
  /** First rows of the list, on the monitoring page. */
  list?: MonitorPage
  /** The monitor, on the page of a monitor. */
  monitor?: MonitorDetail
}

/** Reads the data that the gateway has embedded in the page. Throws if the page contains no element with the data. */
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

/**
 * The first call for a part returns this part of the data embedded in the page, or null if the page lacks the part. Later calls return
 * null.
 */
export function takeFirst<Part extends 'list' | 'monitor'>(part: Part): NonNullable<FirstData[Part]> | null {
  const taken = view[part] ?? null
  delete view[part]
  return taken
}
