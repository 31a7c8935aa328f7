// Monitors for a run. Commands on the bus create them, because these commands allow intervals of seconds.
import type { CommandOf } from '#shared/contracts/subjects/command.ts'
import type { WebsiteView } from '#shared/contracts/subjects/subject-views.ts'
import { AppError } from '#shared/errors.ts'
import { idLength, randomId } from '#shared/text/ids.ts'
import { websiteCheck } from '../../support/checks.ts'
import type { Connection } from '../run/connection.ts'
import { runAtOnce } from '../run/waiting.ts'

const commandsAtOnce = 200

export interface SeedOptions {
  /** Range of path numbers, one for each monitor: from (included), to (excluded). */
  from: number
  to: number
  intervalSeconds: number
  workspaceId: string
  locationIds: string[]
  urlOf(path: number): string
  /** Confirmation delay, seconds; 0 notifies at once. */
  hold?: number
}

export interface Seeded {
  /** Subject ids, indexed by path number. Pass the array to the next call to extend it. */
  subjectIds: string[]
  elapsedMs: number
}

/** Creates the monitors. The monitor of path `i` is named `m<i>`. */
export async function seed(connection: Connection, options: SeedOptions, subjectIds: string[] = []): Promise<Seeded> {
  const startedAt = performance.now()
  await runAtOnce(options.to - options.from, commandsAtOnce, async index => {
    const path = options.from + index
    const id = randomId(idLength.subject)
    subjectIds[path] = id
    await create(connection, id, path, options)
  })
  return { subjectIds, elapsedMs: performance.now() - startedAt }
}

async function create({ keeper }: Connection, subjectId: string, path: number, options: SeedOptions): Promise<WebsiteView> {
  const hold = options.hold ?? 120
  const minutes = options.intervalSeconds % 60 === 0
  const command: CommandOf<'create-website'> = {
    kind: 'create-website',
    id: randomId(16),
    workspaceId: options.workspaceId,
    slug: `m${path}`,
    name: `m${path}`,
    check: websiteCheck({
      url: options.urlOf(path),
      content_type: '',
      locations: options.locationIds,
      interval_value: minutes ? options.intervalSeconds / 60 : options.intervalSeconds,
      interval_unit: minutes ? 'MINUTE' : 'SECOND',
      failure_mode: 'at_least_one',
      confirm_after: hold,
      recover_after: hold,
    }),
  }
  return patiently(() => keeper.send(subjectId, command))
}

/** Retries a command that timed out because the system is at its limit. The retry gets the reply to the first attempt. */
export async function patiently<T>(send: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await send()
    } catch (error) {
      if (!(error instanceof AppError) || !error.retryable || tries >= sendTries) throw error
    }
  }
}

const sendTries = 5

/** Returns the workspace that the first start created, and the location of the system's own prober. */
export async function homeOf({ directory }: Connection, url: string, key: string) {
  const answer = await fetch(`${url}/api/v2/workspaces`, { headers: { authorization: `Bearer ${key}` } })
  const { result } = (await answer.json()) as { result: { id: string }[] | null }
  const { id: locationId } = await directory.ask('ensure-location', { name: 'local' })
  const workspaceId = result?.[0]?.id
  if (workspaceId === undefined) throw new Error('The system has no workspace.')
  return { workspaceId, locationId }
}
