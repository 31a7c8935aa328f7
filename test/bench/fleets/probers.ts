// Probers in their own processes beside the measured system, like probers at other sites. Each prober has credentials for one location,
// made by `./watchkeeper prober create`.
import type { ChildProcess } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { idLength, randomId } from '#shared/text/ids.ts'
import { freePort } from '../../support/free-ports.ts'
import type { Connection } from '../run/connection.ts'
import { endChild } from '../run/processes.ts'
import { hasEnded, lastWords, spawnProgram } from '../run/program.ts'
import { pollUntil } from '../run/waiting.ts'

const readyTimeoutMs = 30_000

export interface Prober {
  locationId: string
  pid: number
  /** Address of the prober's metrics. */
  opsUrl: string
  stop(): Promise<void>
}

export interface ProberOptions {
  /** Name of the location, which is created if missing. */
  location: string
  /** Data folder of the system; the credentials file is stored there. */
  dataFolder: string
  busUrl: string
  nodeArguments: readonly string[]
}

/** Resolves when the prober is ready to check. */
export async function startProber({ directory }: Connection, options: ProberOptions): Promise<Prober> {
  const { location, dataFolder, busUrl, nodeArguments } = options
  await directory.ask('ensure-location', { name: location })
  const id = randomId(idLength.key)
  const made = await directory.ask('create-prober-credential', { id, locationName: location, description: 'bench' })
  const file = join(dataFolder, `${id}.creds`)
  await writeFile(file, made.credentials, { mode: 0o600 })
  const opsPort = await freePort()
  const opsUrl = `http://127.0.0.1:${opsPort}`
  const settings = { SERVICES: 'prober', NATS_URL: busUrl, NATS_CREDENTIALS: file, OPS_PORT: `${opsPort}`, DATA_DIR: dataFolder }
  const child = spawnProgram(nodeArguments, settings)
  await untilReady(child, opsUrl, dataFolder)
  return { locationId: made.locationId, pid: child.pid as number, opsUrl, stop: () => endChild(child, 'SIGTERM') }
}

async function untilReady(child: ChildProcess, opsUrl: string, dataFolder: string): Promise<void> {
  const answer = async () => (hasEnded(child) ? 'ended' : (await fetch(`${opsUrl}/readyz`)).status)
  const isSettled = (found: number | 'ended') => found === 200 || found === 'ended'
  await pollUntil('a prober to be ready', answer, isSettled, { timeoutMs: readyTimeoutMs, pauseMs: 20 })
  if (hasEnded(child)) throw new Error(`A prober ended; it said last: ${lastWords(dataFolder)}`)
}
