// An installation in one process, with its own nats-server. Its store is the SQLite file, or a server that speaks MongoDB's wire protocol.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createLogger } from '#shared/observability/logger.ts'
import { openStore } from '#shared/store/open-store.ts'
import { connect } from '../bench/run/connection.ts'
import { type Program, startProgram } from '../integration/system.ts'
import { type Secantus, startSecantus } from '../support/store/secantus.ts'
import { startOutsideWorld } from './outside-world.ts'
import { caller, furnish, gatewayUrl, readFirstKey, type Stage } from './stage.ts'

export interface SingleStage extends Stage {
  /** Resolves when everything runs again, with the duration of the start, ms. `checkout`: of another version; absent: the present one. */
  start(checkout?: string): Promise<number>
  /** Ends the process by SIGTERM or kill -9; resolves when it has ended. */
  end(how: Ending): Promise<void>
}

export type Ending = 'stopped' | 'killed'

export interface StoreStage extends SingleStage {
  server: StoreServer
}

interface StoreServer {
  url: string
  freeze(): void
  thaw(): void
  /** Sends kill -9; resolves when the process has ended. */
  kill(): Promise<void>
  /** Starts the store on its earlier data. */
  start(): Promise<void>
  stop(): Promise<void>
}

/** `checkout`: folder of the version that starts; absent: the present one. */
export const setSingleStage = (checkout?: string): Promise<SingleStage> => setStage(null, checkout)

/** Resolves with null if the store is not installed. */
export async function setStoreStage(): Promise<StoreStage | null> {
  const server = await startStoreServer()
  if (server === null) return null
  try {
    return { ...(await setStage(server)), server }
  } catch (error) {
    await server.stop()
    throw error
  }
}

async function setStage(server: StoreServer | null, checkout?: string): Promise<SingleStage> {
  const dataFolder = await mkdtemp(join(tmpdir(), 'watchkeeper-single-stage-'))
  const outside = await startOutsideWorld()
  const mongodbUrl = server === null ? '' : `${server.url}/faults`
  const settings = { DATA_DIR: dataFolder, ...(server && { MONGODB_URL: mongodbUrl }) }
  let program: Program | null = null
  const programs: Program[] = []
  let key = ''
  const start = async (of?: string) => {
    const from = Date.now()
    program = await startProgram(settings, of)
    programs.push(program)
    return Date.now() - from
  }
  const end = async (how: Ending) => {
    const ending = program
    program = null
    if (how === 'killed') await ending?.kill()
    else await ending?.stop()
  }
  const stop = async () => {
    await end('killed')
    await Promise.all([outside.close(), server?.stop()])
    await rm(dataFolder, { recursive: true, force: true, maxRetries: 3 })
  }
  const call = caller(
    () => gatewayUrl(programs.at(-1)?.output() ?? ''),
    () => key,
  )
  try {
    await start(checkout)
    key = await readFirstKey(dataFolder)
    return {
      ...(await furnish(call, outside)),
      outside,
      call,
      command: async use => {
        const { keeper, close } = await connect(dataFolder)
        await use(keeper).finally(close)
      },
      start,
      end,
      output: () => programs.map(each => each.output()).join('\n'),
      endServices: () => end('killed'),
      openStore: () => openStore({ mongodbUrl, dataFolder, logger: createLogger('silent') }),
      stop,
    }
  } catch (error) {
    await stop()
    throw error
  }
}

async function startStoreServer(): Promise<StoreServer | null> {
  const folder = await mkdtemp(join(tmpdir(), 'watchkeeper-store-'))
  const options = ['--storage-path', folder, '--sync-on-commit']
  const remove = () => rm(folder, { recursive: true, force: true, maxRetries: 3 })
  let server: Secantus | null = await startSecantus(options)
  if (server === null) {
    await remove()
    return null
  }
  const { url } = server
  const signal = (name: NodeJS.Signals) => void (server && process.kill(server.pid, name))
  const kill = async () => {
    await server?.kill()
    server = null
  }
  return {
    url,
    freeze: () => signal('SIGSTOP'),
    thaw: () => signal('SIGCONT'),
    kill,
    start: async () => {
      server = await startSecantus(options, Number(new URL(url).port))
    },
    stop: async () => {
      await kill()
      await remove()
    },
  }
}
