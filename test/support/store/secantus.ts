// Starts SecantusDB, a separate program that implements the MongoDB wire protocol, as a child on loopback for tests of MongoDB clients. It
// is installed once into `.tools/` with pip, never shipped, keeps nothing on disk, and ends with its parent.
import { type ChildProcess, spawn } from 'node:child_process'
import { connect } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { randomId } from '#shared/text/ids.ts'
import { freePort } from '../free-ports.ts'
import { pythonPackage } from '../python-package.ts'
import { share } from '../shared.ts'

export interface Secantus {
  /** A connection string without a database name. */
  url: string
  pid: number
  /** Ends the server and waits for its end. */
  stop(): Promise<void>
  /** Kills the server (SIGKILL) and waits for its end. */
  kill(): Promise<void>
}

/** Longest duration of a start: 0.5 s of processor time, on a machine that has much other work. */
const startMs = 120_000
const pollMs = 100

/**
 * Program that serves until its standard input ends. The input ends at the latest when the parent ends. It removes nothing whose time is
 * past: the clock of a test, which decides what is past, stands months before the machine's.
 */
const program = `
import os, sys, threading
threading.Thread(target=lambda: (sys.stdin.buffer.read(), os._exit(0)), daemon=True).start()
from secantus.cli import main
from secantus.storage import Storage
Storage.prune_ttl_all_collections = lambda *_, **__: 0
sys.argv = ['secantusd-py', '--host', '127.0.0.1', '--log-level', 'ERROR', *sys.argv[1:]]
sys.exit(main())
`

/**
 * Starts a server on `onPort`; 0: a free port. The server is empty unless `options` name a `--storage-path`. Resolves with null after a
 * visible warning if Python or pip is missing. Rejects instead with CI=true, so that no pipeline passes without these tests. Resolves with
 * null if the environment has `WITHOUT_MONGODB`.
 */
export async function startSecantus(options: string[] = [], onPort = 0): Promise<Secantus | null> {
  if (process.env['WITHOUT_MONGODB'] !== undefined) return null
  const folder = await pythonPackage({
    name: 'secantusdb',
    version: '0.7.0b3',
    options: ['--only-binary', 'secantusdb'],
    skipped: 'the tests against the MongoDB wire protocol',
    remedy: 'install Python 3.11 or later with pip, or set MONGODB_TEST_URL to a MongoDB that may be written to',
  })
  if (folder === null) return null
  const port = onPort || (await freePort())
  const child = spawn('python3', ['-c', program, '--port', String(port), '--storage-path', ':memory:', ...options], {
    stdio: ['pipe', 'ignore', 'pipe'],
    env: { ...process.env, PYTHONPATH: folder, OPENBLAS_NUM_THREADS: '1' },
  })
  let complaint = ''
  child.stderr?.on('data', chunk => (complaint = (complaint + chunk).slice(-2_000)))
  const ended = new Promise<void>(resolve => child.once('exit', () => resolve()))
  if (!(await answers(port, child))) {
    child.kill('SIGKILL')
    throw new Error(`SecantusDB did not answer within ${startMs} ms: ${complaint}`)
  }
  return {
    url: `mongodb://127.0.0.1:${port}`,
    pid: child.pid as number,
    stop: async () => {
      child.stdin?.end()
      await ended
    },
    kill: async () => {
      child.kill('SIGKILL')
      await ended
    },
  }
}

/**
 * Returns the URL of a new database on the server that all test files of the process share, or null where `startSecantus` does. Tests that
 * stop or suspend their server start one of their own.
 */
export async function sharedMongodb(t: { teardown(run: () => unknown): void }): Promise<string | null> {
  const server = await share(t, 'SecantusDB', async () => {
    const thing = await startSecantus()
    return { thing, works: () => thing !== null && isAlive(thing.pid), stop: async () => thing?.stop() }
  })
  return server === null ? null : `${server.url}/test_${randomId(8)}`
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

async function answers(port: number, child: ChildProcess): Promise<boolean> {
  for (let waitedMs = 0; waitedMs < startMs && child.exitCode === null; waitedMs += pollMs) {
    if (await accepts(port)) return true
    await pause(pollMs)
  }
  return false
}

function accepts(port: number): Promise<boolean> {
  return new Promise(resolve => {
    const socket = connect(port, '127.0.0.1')
    socket.once('connect', () => resolve(socket.destroy().destroyed))
    socket.once('error', () => resolve(false))
  })
}
