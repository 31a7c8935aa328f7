#!/usr/bin/env node
// The executable: starts the program with a Node that is recent enough, either this one or the one pinned in node_modules. Some flags and
// environment variables must be set before a process starts. If Node can do it, the new process replaces this process.
import { spawn } from 'node:child_process'
import { accessSync, existsSync, constants as modes, writeFileSync } from 'node:fs'
import module from 'node:module'
import { constants } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const needed = 24
const here = dirname(fileURLToPath(import.meta.url))
const modules = join(here, '..', '..', 'node_modules')
/** The Node of the lock file for this platform; npm checks its hash. There is none for macOS, which needs a Node of its own. */
const system = process.platform === 'win32' ? 'win' : process.platform
const pinned = join(modules, `node-${system}-${process.arch}`, 'bin', system === 'win' ? 'node.exe' : 'node')
/**
 * The heap may double between two collections while the program starts; later its growth follows the load
 * (infra/runtime/collector-pace.ts). With `--v8-pool-size=0`, V8 has one helper thread less
 * than there are cores. On two cores, the usual four threads would take CPU from requests during a full garbage collection. Warnings about
 * experimental features are off.
 */
const flags = [
  '--max-semi-space-size=16',
  '--heap-growing-percent=100',
  '--v8-pool-size=0',
  '--disable-warning=ExperimentalWarning',
]
/** The C library keeps memory that threads have freed. One arena and low thresholds reduce this memory to a third. */
const environment = { MALLOC_ARENA_MAX: '1', MALLOC_TRIM_THRESHOLD_: '2097152', MALLOC_MMAP_THRESHOLD_: '131072' }

const isAble = Number(process.versions.node.split('.')[0]) >= needed
const isTuned = flags.every(flag => process.execArgv.includes(flag))
/**
 * Only long-lived commands replace the process, because the replacement takes as long as a short command. The MCP server lives long too,
 * but does not replace its process, because its host waits for the start.
 */
const isLongLived = process.argv[2] === 'start'

if (!existsSync(join(modules, 'commander'))) refuse('The packages are not here yet')
else if (isAble && (isTuned || !isLongLived || process.execve === undefined)) await run()
else if (isAble) replace(process.execPath)
else if (existsSync(pinned)) runElsewhere()
else refuse(`Watchkeeper needs Node ${needed} or later, and this is ${process.versions.node}`)

function refuse(why) {
  const hasPinned = ['linux-x64', 'linux-arm64', 'win-x64'].includes(`${system}-${process.arch}`)
  const remedy =
    hasPinned || isAble ? `run npm ci in ${join(modules, '..')}, which brings what is missing` : `install Node ${needed} or later`
  console.error(`${why}: ${remedy}.`)
  process.exitCode = 1
}

/** Prints the warnings of Node, except warnings about experimental features. */
function filterWarnings() {
  process.removeAllListeners('warning')
  process.on('warning', ({ name, message }) => {
    if (name !== 'ExperimentalWarning') console.error(`${name}: ${message}`)
  })
}

/**
 * Runs the program, and stores Node's cache of compiled sources in node_modules. A later start loads no compiler: it is faster, and the
 * process takes 40 MB less.
 */
async function run() {
  if (!isTuned) filterWarnings()
  module.enableCompileCache?.(join(modules, '.cache', 'compiled'))
  // A folder for this version of Node and these flags; undefined if the cache can't be written.
  const directory = module.getCompileCacheDir?.()
  if (directory !== undefined) {
    // The worker thread of the store reads this variable when the thread starts.
    process.env.NODE_COMPILE_CACHE ??= dirname(directory)
    if (isLongLived) storeCacheOnce(directory)
  }
  await import('./main.ts')
}

/**
 * Node stores the cache when a process ends, but a process that is killed stores nothing. So the first long-lived process stores the cache
 * while it runs, which stops it for about a second.
 */
function storeCacheOnce(directory) {
  const mark = join(directory, 'stored-by-start')
  if (existsSync(mark)) return
  const store = () => {
    try {
      accessSync(directory, modes.W_OK)
      module.flushCompileCache()
      writeFileSync(mark, '')
    } catch {
      // The folder can't be written, or the disk is full: the program runs as well without the cache.
    }
  }
  setTimeout(store, 5_000).unref()
}

function replace(node) {
  const args = [node, ...flags, ...process.execArgv, fileURLToPath(import.meta.url), ...process.argv.slice(2)]
  process.execve(node, args, { ...environment, ...process.env })
}

function runElsewhere() {
  const args = [...flags, fileURLToPath(import.meta.url), ...process.argv.slice(2)]
  const child = spawn(pinned, args, { stdio: 'inherit', env: { ...environment, ...process.env } })
  // Ctrl-C at a terminal reaches the child twice: from the terminal, and forwarded by this line. The child counts both as one signal
  // (ending-signals.ts).
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => child.kill(signal))
  child.on('exit', (code, signal) => {
    process.exitCode = code ?? 128 + constants.signals[signal]
  })
}
