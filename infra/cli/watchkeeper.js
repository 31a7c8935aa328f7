#!/usr/bin/env node
// The executable. It runs the program by a Node that can: this one, or the one pinned in node_modules.
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const needed = 24
const here = dirname(fileURLToPath(import.meta.url))
const pinned = join(here, '..', '..', 'node_modules', 'node', 'bin', 'node')

if (Number(process.versions.node.split('.')[0]) >= needed) {
  await import('./main.ts')
} else if (existsSync(pinned)) {
  const child = spawn(pinned, [join(here, 'main.ts'), ...process.argv.slice(2)], { stdio: 'inherit' })
  // The terminal's Ctrl-C reaches the child by itself.
  process.on('SIGINT', () => undefined)
  process.on('SIGTERM', () => child.kill('SIGTERM'))
  child.on('exit', (code, signal) => {
    process.exitCode = code ?? (signal === 'SIGINT' ? 130 : 1)
  })
} else {
  console.error(`Watchkeeper needs Node ${needed} or later, this is ${process.versions.node}: run npm install, which brings one.`)
  process.exitCode = 1
}
