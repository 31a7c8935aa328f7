// Stops a nats-server that still runs on the data folder after an unclean end of its owner. If the server's guardian lives, another process
// owns the server, and the server keeps running. Ends only processes that were started with exactly this config.
import { readFile, rm } from 'node:fs/promises'
import { setTimeout as pause } from 'node:timers/promises'
import { limits } from '#shared/limits/limits.ts'
import { commandLineOf } from '../data/process-life.ts'

const lookMs = 50

/**
 * Makes sure that no server runs on `config`. `processIds`: path of the file with the ids "<owner> <guardian> <server>". Throws an Error
 * with a message for the operator if another running program uses the config.
 */
export async function clearStaleServer(processIds: string, config: string): Promise<void> {
  const text = await readFile(processIds, 'utf8').catch(() => '')
  const [owner, guardian, server] = text.trim().split(' ').map(Number)
  if (!owner || !guardian || !server) return
  // If the server's owner is dead, waits a moment, because the guardian needs a moment to end the server.
  const patienceMs = (await commandLineOf(owner)) === '' ? limits.tools.guardianMs : 0
  if (!(await gone(guardian, config, patienceMs))) {
    throw new Error(`Another program uses the data folder: its bus server runs as process ${server}.`)
  }
  for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
    if (await gone(server, config, 0)) break
    try {
      process.kill(server, signal)
    } catch {
      // Ignores the error: the process has already ended.
    }
    if (await gone(server, config, limits.tools.stopMs)) break
  }
  await rm(processIds, { force: true })
}

/** Returns true once the process has ended or does not run on this config. Returns false if this takes longer than `withinMs`. */
async function gone(pid: number, config: string, withinMs: number): Promise<boolean> {
  for (let waitedMs = 0; ; waitedMs += lookMs) {
    if (!(await commandLineOf(pid)).includes(config)) return true
    if (waitedMs >= withinMs) return false
    await pause(lookMs)
  }
}
