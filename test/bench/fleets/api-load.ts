// Load on the API: reads and writes start at a steady rate, without waiting for earlier responses, over connections that are kept alive.
// Returns the durations by kind of request.

import type { HttpClient } from '../run/http-client.ts'
import { atPace } from '../run/waiting.ts'
import type { ApiFleet } from './api-fleet.ts'

export const readsPerSecond = 100
export const writesPerSecond = 20

/** Durations of requests by kind of request, ms. */
export type Latencies = Map<string, number[]>

/** Mix of ten reads: five of a monitor, two of a small list, one of a workspace's open incidents, and two of a monitor's open incidents. */
const readKinds = [
  'get',
  'list',
  'get',
  'incidents',
  'get',
  'incidents of one',
  'get',
  'list',
  'get',
  'incidents of one',
] as const

export async function readMixed(client: HttpClient, fleet: ApiFleet, seconds: number): Promise<Latencies> {
  const latencies: Latencies = new Map()
  const { workspaceId, smallWorkspaceId, subjectIds, incidents } = fleet
  const paths: Record<(typeof readKinds)[number], (index: number) => string> = {
    // Successive reads request monitors whose path numbers are far apart.
    get: index => `/api/v2/monitoring/websites/${subjectIds[(index * 7_919) % subjectIds.length]}`,
    list: () => `/api/v2/monitoring/websites?workspace_id=${smallWorkspaceId}`,
    incidents: () => `/api/v2/incidents?workspace_id=${workspaceId}`,
    'incidents of one': index =>
      `/api/v2/incidents?workspace_id=${workspaceId}&monitor_id=${incidents[index % incidents.length]?.monitorId}`,
  }
  await atPace(readsPerSecond, seconds, async index => {
    const kind = readKinds[index % readKinds.length] as (typeof readKinds)[number]
    note(latencies, kind, (await client.call('GET', paths[kind](index))).ms)
  })
  return latencies
}

const writeKinds = ['create', 'update', 'acknowledge', 'delete'] as const

export interface Writes {
  /** Address of the created monitors; it responds with success. */
  urlOf(path: number): string
  /** Id of the location that checks the monitors. */
  location: string
}

/**
 * Sends writes of four kinds in turn: creates, changes or deletes a monitor, or acknowledges an incident. After the last incident it
 * acknowledges the first incident again.
 */
export async function writeMixed(
  client: HttpClient,
  fleet: ApiFleet,
  { urlOf, location }: Writes,
  seconds: number,
): Promise<Latencies> {
  const latencies: Latencies = new Map()
  const { workspaceId, subjectIds, incidents } = fleet
  const base = '/api/v2/monitoring/websites'
  const made: string[] = []
  const body = (index: number, name: string) => ({
    workspace_id: workspaceId,
    name,
    interval: 60,
    request: { url: urlOf(subjectIds.length + index), method: 'GET' },
    response: { statuses: [200] },
    locations: [location],
    agreement: 'any',
  })
  const write: Record<(typeof writeKinds)[number], (index: number) => Promise<{ ms: number }>> = {
    create: async index => {
      const answered = await client.call('POST', base, body(index, `made ${index}`))
      made.push((answered.result as { id: string }).id)
      return answered
    },
    update: index => client.call('POST', `${base}/${made.at(-1)}`, body(index, `changed ${index}`)),
    acknowledge: index => {
      const { id, monitorId } = incidents[Math.floor(index / writeKinds.length) % incidents.length] as ApiFleet['incidents'][0]
      return client.call('POST', `/api/v1/rules/${monitorId}/incidents/${id}/acknowledge`)
    },
    delete: () => client.call('DELETE', `${base}/${made.shift()}`),
  }
  // Ten monitors exist from the start, so that no monitor is deleted while it is changed.
  for (let index = 0; index < 10; index++) await write.create(-1 - index)
  await atPace(writesPerSecond, seconds, async index => {
    const kind = writeKinds[index % writeKinds.length] as (typeof writeKinds)[number]
    note(latencies, kind, (await write[kind](index)).ms)
  })
  return latencies
}

function note(latencies: Latencies, kind: string, ms: number): void {
  const known = latencies.get(kind)
  if (known) known.push(ms)
  else latencies.set(kind, [ms])
}
