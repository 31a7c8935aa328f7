// Locations as generation 3 serves them.
import { askV3 } from '../data/api.ts'

export interface Location {
  id: string
  name: string
  display_name: string | null
  active_workers_count: number
  /** Of a choice for one kind of check: why no prober there can make it. Absent: one can. */
  lack?: string
}

export const readLocations = (): Promise<readonly Location[]> => askV3('GET', '/locations')
