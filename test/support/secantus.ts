// Starts SecantusDB, a separate program that speaks the MongoDB wire protocol, as a child on loopback for the tests of what talks
// to MongoDB. It is installed once into `.tools/` with pip, never shipped, keeps nothing on disk, and ends with its parent.
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { connect, createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { promisify } from 'node:util'

export interface Secantus {
  /** A connection string without a database name. */
  url: string
  pid: number
  /** Ends it and waits for its end. */
  stop(): Promise<void>
  /** Ends it without a farewell (SIGKILL) and waits for its end. */
  kill(): Promise<void>
}

const run = promisify(execFile)
const version = '0.7.0b3'
const tools = join(import.meta.dirname, '../../.tools')
const startMs = 30_000
const installMs = 170_000
const pollMs = 100

/** Serves until its standard input ends, which happens when its parent does, however that ends. */
const program = `
import os, sys, threading
threading.Thread(target=lambda: (sys.stdin.buffer.read(), os._exit(0)), daemon=True).start()
from secantus.cli import main
sys.argv = ['secantusd-py', '--host', '127.0.0.1', '--port', sys.argv[1], '--storage-path', ':memory:', '--log-level', 'ERROR']
sys.exit(main())
`

/**
 * A fresh, empty server. Resolves with null, after saying so loudly, where Python or pip is missing; with CI=true it rejects
 * instead, so that no pipeline passes without these tests.
 */
export async function startSecantus(): Promise<Secantus | null> {
  let folder: string
  try {
    folder = await install()
  } catch (error) {
    const sentence = `SecantusDB ${version} could not be installed: ${(error as Error).message.split('\n')[0]}`
    if (process.env['CI'] === 'true') throw new Error(sentence, { cause: error })
    process.stderr.write(`\n*** SKIPPED: the tests against the MongoDB wire protocol. ${sentence}
*** To run them, install Python 3.11 or later with pip, or set MONGODB_TEST_URL to a MongoDB that may be written to.\n\n`)
    return null
  }
  const port = await freePort()
  const child = spawn('python3', ['-c', program, String(port)], {
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

/** The folder with the installed package; one process installs, the others wait for it. */
async function install(): Promise<string> {
  const { stdout } = await run('python3', ['-c', 'import sys; print("%d.%d" % sys.version_info[:2])'])
  const folder = join(tools, `secantusdb-${version}-python${stdout.trim()}`)
  const lock = `${folder}.lock`
  await mkdir(tools, { recursive: true })
  for (let waitedMs = 0; !existsSync(folder); waitedMs += pollMs) {
    if (await takeLock(lock)) {
      try {
        if (!existsSync(folder)) await download(folder)
      } finally {
        await rm(lock, { force: true })
      }
    } else if (waitedMs > installMs) throw new Error(`another process holds ${lock}`)
    else await pause(pollMs)
  }
  return folder
}

/** A lock whose holder has died is taken away from it. */
async function takeLock(lock: string): Promise<boolean> {
  try {
    await writeFile(lock, String(process.pid), { flag: 'wx' })
    return true
  } catch {
    const holder = Number(await readFile(lock, 'utf8').catch(() => ''))
    if (holder > 0 && !isAlive(holder)) await rm(lock, { force: true })
    return false
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

/** Into a folder beside the final one first, so that a broken download is never taken for an installed package. */
async function download(folder: string): Promise<void> {
  const half = `${folder}.${process.pid}`
  await rm(half, { recursive: true, force: true })
  const choices = ['--quiet', '--no-warn-conflicts', '--disable-pip-version-check', '--only-binary', 'secantusdb']
  await run('python3', ['-m', 'pip', 'install', ...choices, '--target', half, `secantusdb==${version}`], { timeout: installMs })
  await rename(half, folder).catch(async error => {
    await rm(half, { recursive: true, force: true })
    if (!existsSync(folder)) throw error
  })
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer()
    server.once('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number }
      server.close(() => resolve(port))
    })
  })
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
