// Starts a shared store for tests: a process that serves the store port, on one SQLite file, to several processes. It takes about as many
// writes as the embedded store, so figures of a cluster are not those of SecantusDB. Never a store to keep: loopback only, no accounts.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '../../free-ports.ts'
import { openSharedStore } from './client.ts'

export interface SharedStore {
  /** The value of MONGODB_URL for programs with `settings`. */
  url: string
  port: number
  pid(): number
  freeze(): void
  thaw(): void
  /** Sends kill -9; resolves when the process has ended. */
  kill(): Promise<void>
  /** Starts the killed process on its file. */
  start(): Promise<void>
  /** Ends the process and removes its file. */
  stop(): Promise<void>
}

/** Environment of a program that takes its MONGODB_URL for a shared store. */
export const withSharedStore = {
  NODE_OPTIONS: `--import=${new URL('./in-place-of-mongodb.ts', import.meta.url).href}`,
} as const

const program = join(import.meta.dirname, 'serve.ts')

export async function startSharedStore(): Promise<SharedStore> {
  const folder = await mkdtemp(join(tmpdir(), 'watchkeeper-shared-store-'))
  const port = await freePort()
  const url = `mongodb://127.0.0.1:${port}/shared`
  let child: ChildProcess | null = null
  const start = async () => {
    child = spawn(process.execPath, [program, join(folder, 'shared.db'), String(port)], { stdio: ['pipe', 'ignore', 'inherit'] })
    const store = await openSharedStore(url)
    await store.close()
  }
  const kill = async () => {
    if (child?.exitCode !== null || child.signalCode !== null) return
    const ended = once(child, 'exit')
    child.kill('SIGKILL')
    await ended
  }
  const stop = async () => {
    await kill()
    await rm(folder, { recursive: true, force: true, maxRetries: 3 })
  }
  try {
    await start()
  } catch (error) {
    await stop()
    throw error
  }
  return {
    url,
    port,
    pid: () => child?.pid as number,
    freeze: () => void child?.kill('SIGSTOP'),
    thaw: () => void child?.kill('SIGCONT'),
    kill,
    start,
    stop,
  }
}
