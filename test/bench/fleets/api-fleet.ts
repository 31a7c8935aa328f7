// Fleet for the API's requests: a large workspace of checked monitors, some of them failing, and a small workspace.
import { idLength, randomId } from '#shared/text/ids.ts'
import type { Connection } from '../run/connection.ts'
import { createHttpClient } from '../run/http-client.ts'
import type { Run } from '../run/run-context.ts'
import type { System } from '../run/system.ts'
import { pollUntil } from '../run/waiting.ts'
import { homeOf, seed } from './seed.ts'

/** Number of monitors in the small workspace. */
const few = 50
const failing = 20

export interface ApiFleet {
  workspaceId: string
  smallWorkspaceId: string
  /** Subject ids, indexed by path number; the ids of the small workspace come last. */
  subjectIds: string[]
  /** Incidents that were open after the creation, one for each failing monitor. */
  incidents: { id: string; monitorId: string }[]
}

/** Creates the monitors of both workspaces. Resolves when all were checked and the failing monitors have their incidents. */
export async function seedApiFleet(
  run: Run,
  system: System,
  connection: Connection,
  { monitors, intervalSeconds }: { monitors: number; intervalSeconds: number },
): Promise<ApiFleet> {
  const key = await system.key()
  const home = await homeOf(connection, system.url, key)
  const smallWorkspaceId = await createSmallWorkspace(connection)
  const options = { intervalSeconds, locationIds: [home.locationId], urlOf: run.target.urlOf }
  await run.target.failAll(failing)
  const large = await seed(connection, { ...options, workspaceId: home.workspaceId, from: 0, to: monitors - few })
  const both = { ...options, workspaceId: smallWorkspaceId, from: monitors - few, to: monitors }
  const { subjectIds } = await seed(connection, both, large.subjectIds)
  await run.target.untilSeen(monitors, 4_000 * intervalSeconds + 60_000)
  const client = createHttpClient(system.url, key, 1)
  const open = async () =>
    (await client.call('GET', `/api/v2/incidents?workspace_id=${home.workspaceId}`)).result as {
      id: string
      monitor_id: string
    }[]
  try {
    const list = `/api/v2/monitoring/websites?workspace_id=${smallWorkspaceId}`
    const listed = async () => ((await client.call('GET', list)).result as unknown[]).length
    const patience = { timeoutMs: 30_000, pauseMs: 100 }
    await pollUntil('the small workspace to be open to the key', listed, count => count === few, patience)
    const found = await pollUntil('the failing monitors to have incidents', open, all => all.length >= failing, patience)
    const incidents = found.map(({ id, monitor_id }) => ({ id, monitorId: monitor_id }))
    return { workspaceId: home.workspaceId, smallWorkspaceId, subjectIds, incidents }
  } finally {
    await client.close()
  }
}

async function createSmallWorkspace({ directory }: Connection): Promise<string> {
  const [first] = await directory.ask('list-keys', { userId: null })
  if (first === undefined) throw new Error('The system has no key.')
  const id = randomId(idLength.workspace)
  await directory.ask('create-workspace', { id, name: 'small', userId: first.userId })
  return id
}
