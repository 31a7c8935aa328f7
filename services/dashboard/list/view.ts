// State of the list: its rows, its scroll position, the row under the cursor, and the chosen rows. The state stays when the person opens
// another page, so that the next visit to the list shows the same rows.
import { computed, signal } from '@preact/signals'
import type { MonitorPage } from '#shared/contracts/session/session-monitors.ts'
import { read } from '../data/api.ts'
import { schedule } from '../data/clock.ts'
import { takeFirst } from '../data/first.ts'
import { query } from '../data/router.ts'
import { workspaceId } from '../data/session.ts'
import { createRows, createSelection, type ListFilter, type Rows, windowOf } from './rows.ts'
import { listStatuses } from './summary.ts'

/** Largest number of chosen monitors. An action on a hundred monitors takes a few seconds. */
const mostChosen = 100

export const scroll = { top: signal(0), height: signal(700) }
export const rowPx = signal(50)
/** Index of the row to which keys apply; -1: keys apply to no row. */
export const cursor = signal(-1)
export const selection = createSelection(mostChosen)

export const filterOfAddress = (): ListFilter => {
  const status = query.value.get('status')
  const known = listStatuses.find(one => one === status)
  return { status: known ?? 'all', text: query.value.get('q') ?? '' }
}

let present: { workspace: string | null; rows: Rows } | null = null
/** Returns the rows of the present workspace. If rows were loaded on an earlier visit, reads them again. */
export function rowsOfWorkspace(): Rows {
  const workspace = workspaceId.peek()
  if (present?.workspace === workspace) {
    present.rows.refresh()
    return present.rows
  }
  const rows = createRows({ read: readPage, schedule }, filterOfAddress(), takeFirst('list'))
  present = { workspace, rows }
  scroll.top.value = 0
  cursor.value = -1
  selection.clear()
  if (rows.counts.peek() === null) rows.refresh()
  return rows
}

export const shownWindow = (rows: Rows) =>
  computed(() => windowOf(scroll.top.value, scroll.height.value, rowPx.value, rows.total.value))

async function readPage({ status, text }: ListFilter, from: number, count: number): Promise<MonitorPage> {
  const asked = new URLSearchParams({ status, search: text, from: `${from}`, limit: `${count}` })
  const path = `/api/v3/workspaces/${workspaceId.peek()}/monitors?${asked}`
  const { result: rows, meta } = await read<{ result: MonitorPage['rows']; meta: Omit<MonitorPage, 'from' | 'rows'> }>(path)
  return { ...meta, from, rows }
}
