// The measured program as a child process: its start, the end of its log, and its free ports.
import type { ChildProcess } from 'node:child_process'
import { openSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { startChild } from './processes.ts'

const root = join(import.meta.dirname, '..', '..', '..')

/** Starts `./watchkeeper start` with only these settings. `DATA_DIR` is required: the log is written there. */
export function spawnProgram(nodeArguments: readonly string[], settings: Record<string, string>): ChildProcess {
  const log = openSync(logFile(settings['DATA_DIR'] as string), 'a')
  return startChild([...nodeArguments, join(root, 'infra', 'cli', 'watchkeeper.js'), 'start'], {
    cwd: root,
    env: { PATH: process.env['PATH'], HOME: process.env['HOME'], TOOLS_DIR: join(root, '.tools'), ...settings },
    stdio: ['ignore', 'ignore', log],
  })
}

export const hasEnded = (child: ChildProcess): boolean => child.exitCode !== null || child.signalCode !== null

/** Returns the end of the log. */
export const lastWords = (dataFolder: string): string => readFileSync(logFile(dataFolder), 'utf8').slice(-1_000)

const logFile = (dataFolder: string) => join(dataFolder, 'bench.log')
