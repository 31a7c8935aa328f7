#!/usr/bin/env node
// The executable. It runs the program by a Node that can (this one, or the one pinned in node_modules), and tuned: by flags
// and an environment that must be there before a process begins. Where the process can replace itself it does, so that only one
// is left.
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import module from 'node:module'
import { constants } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const needed = 24
const here = dirname(fileURLToPath(import.meta.url))
const modules = join(here, '..', '..', 'node_modules')
const pinned = join(modules, 'node', 'bin', 'node')
/**
 * The heap starts as small as it can and grows with the load (infra/runtime/collector-pace.ts). V8 gets as many helping threads as there
 * are cores, less one: four on two cores take a full collection's time from those that answer. What is experimental is known to be.
 */
const flags = [
  '--max-semi-space-size=16',
  '--semi-space-growth-factor=1',
  '--memory-saver-mode',
  '--heap-growing-percent=10',
  '--v8-pool-size=0',
  '--disable-warning=ExperimentalWarning',
]
/** The C library keeps what its threads have freed; with one arena that gives back early it keeps a third of it. */
const environment = { MALLOC_ARENA_MAX: '1', MALLOC_TRIM_THRESHOLD_: '2097152', MALLOC_MMAP_THRESHOLD_: '524288' }

const isAble = Number(process.versions.node.split('.')[0]) >= needed
const isTuned = flags.every(flag => process.execArgv.includes(flag))
/** A command that ends soon would take as long to replace itself as it takes to run, and a host waits for the start of the MCP server. */
const isLongLived = ['start', 'demo'].includes(process.argv[2])

if (!existsSync(join(modules, 'commander'))) refuse('The packages are not here yet')
else if (isAble && (isTuned || !isLongLived || process.execve === undefined)) await run()
else if (isAble) replace(process.execPath)
else if (existsSync(pinned)) runElsewhere()
else refuse(`Watchkeeper needs Node ${needed} or later, and this is ${process.versions.node}`)

function refuse(why) {
  console.error(`${why}: run npm ci in ${join(modules, '..')}, which brings what is missing.`)
  process.exitCode = 1
}

/** Passes on the warnings of Node but those about what is experimental. */
function filterWarnings() {
  process.removeAllListeners('warning')
  process.on('warning', ({ name, message }) => {
    if (name !== 'ExperimentalWarning') console.error(`${name}: ${message}`)
  })
}

/** Keeps Node's compiled form of the sources beside the packages: a later start is faster and does not load the compiler at all. */
async function run() {
  if (!isTuned) filterWarnings()
  const compiled = module.enableCompileCache?.(join(modules, '.cache', 'compiled'))
  // For the store's worker, which reads it when it starts.
  if (compiled?.directory !== undefined) process.env.NODE_COMPILE_CACHE ??= dirname(compiled.directory)
  await import('./main.ts')
}

function replace(node) {
  const args = [node, ...flags, ...process.execArgv, fileURLToPath(import.meta.url), ...process.argv.slice(2)]
  process.execve(node, args, { ...environment, ...process.env })
}

function runElsewhere() {
  const args = [...flags, fileURLToPath(import.meta.url), ...process.argv.slice(2)]
  const child = spawn(pinned, args, { stdio: 'inherit', env: { ...environment, ...process.env } })
  // A terminal's Ctrl-C reaches the child twice then, which takes it for one (ending-signals.ts).
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => child.kill(signal))
  child.on('exit', (code, signal) => {
    process.exitCode = code ?? 128 + constants.signals[signal]
  })
}
