// Types of locations in responses of the session API.
import { read } from '../data/api.ts'

export interface Location {
  id: string
  name: string
  display_name: string | null
  active_workers_count: number
}

export const readLocations = async (): Promise<readonly Location[]> =>
  (await read<{ locations: readonly Location[] }>('/session/locations')).locations
