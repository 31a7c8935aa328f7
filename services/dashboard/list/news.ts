// Check that the data of an event are a row of the list.
import type { MonitorRow } from '#shared/contracts/session/session-monitors.ts'

export const isRow = (data: unknown): data is MonitorRow =>
  typeof data === 'object' && data !== null && 'id' in data && 'status' in data && 'name' in data
