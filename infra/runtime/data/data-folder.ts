// The data folder: created if missing, checked, and locked by one process at a time. The lock is a file with the id and the start time of
// its process. So the lock of a killed process blocks no other process. Only one process at a time reads the lock.
import { access, constants, link, mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { limits } from '#shared/limits/limits.ts'
import { StoreError } from '#shared/store/port.ts'
import { lockSqliteFile } from '#shared/store/sqlite/sqlite-lock.ts'
import { StartError } from '../start-error.ts'
import { beginningOf, lifeOf } from './process-life.ts'

export interface DataFolder {
  path: string
  /** Names of earlier holders that ended without a release, the latest first. */
  predecessors: string[]
  release(): Promise<void>
}

/** Creates the folder if missing and checks that it can be written. Returns its absolute path. Throws a StartError. */
export async function prepareDataFolder(folder: string): Promise<string> {
  const path = resolve(folder)
  const present = await stat(path).catch(() => null)
  if (present && !present.isDirectory()) throw new StartError(`The data folder ${path} is not a folder: correct DATA_DIR.`)
  try {
    await makeFolder(path)
    await access(path, constants.R_OK | constants.W_OK | constants.X_OK)
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code
    throw new StartError(`The data folder ${path} can't be written (${code}): correct DATA_DIR or the rights of that folder.`)
  }
  return path
}

/**
 * Creates the folder and its missing parents. Does not use `mkdir` with `recursive`, because below a parent such as /proc that call never
 * ends.
 */
export async function makeFolder(path: string, mode = 0o700): Promise<void> {
  try {
    await mkdir(path, { mode })
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'EEXIST') return
    const parent = dirname(path)
    if (code !== 'ENOENT' || (await stat(parent).catch(() => null))) throw error
    await makeFolder(parent, mode)
    await mkdir(path, { mode })
  }
}

/**
 * Prepares the folder and locks it for this process. `name`: one word that identifies the process. Throws a StartError if a living process
 * has the folder.
 */
export async function takeDataFolder(folder: string, name: string): Promise<DataFolder> {
  const path = await prepareDataFolder(folder)
  // Only one process at a time reads the lock. Otherwise a process that found the lock of a dead process could remove the lock that another
  // process has just created.
  const alone = startAlone(path)
  try {
    return await takeAlone(path, name)
  } finally {
    alone.close()
  }
}

/** Returns the process that has the folder; null: none, or the process has ended. Changes nothing. */
export async function holderOf(folder: string): Promise<number | null> {
  const [holder = ''] = (await readFile(join(folder, 'lock'), 'utf8').catch(() => '')).split('\n')
  const [pid, ...beginning] = holder.split(' ')
  return pid && (await lifeOf(Number(pid), beginning.join(' '))) !== 'gone' ? Number(pid) : null
}

/** Takes a lock that the operating system releases when the process ends, so that no lock is ever left behind. */
function startAlone(path: string): { close(): void } {
  try {
    return lockSqliteFile(join(path, 'start'))
  } catch (error) {
    if (error instanceof StoreError) throw new StartError(error.message)
    const why = (error as Error).message
    throw new StartError(`The data folder ${path} can't be locked (${why}): correct DATA_DIR or the rights of that folder.`)
  }
}

/** Returns whether a living process has the folder. */
export async function isTaken(folder: string): Promise<boolean> {
  const [holder = ''] = (await readFile(join(resolve(folder), 'lock'), 'utf8').catch(() => '')).split('\n')
  return await outlives(holder)
}

async function takeAlone(path: string, name: string): Promise<DataFolder> {
  const lock = join(path, 'lock')
  const text = await readFile(lock, 'utf8').catch(() => '')
  const [holder = '', names = ''] = text.split('\n')
  if (await outlives(holder)) {
    throw new StartError(
      `The data folder ${path} is in use by process ${holder.split(' ')[0]}: stop it, or set another DATA_DIR.`,
    )
  }
  const predecessors = names.split(' ').filter(Boolean).slice(0, limits.start.predecessors)
  await rm(lock, { force: true })
  const mine = `${process.pid} ${await beginningOf(process.pid)}\n${[name, ...predecessors].join(' ')}`
  if (!(await create(lock, mine)))
    throw new StartError(`The data folder ${path} is in use: another process starts at this moment.`)
  const release = async () => {
    if ((await readFile(lock, 'utf8').catch(() => '')) === mine) await rm(lock, { force: true })
  }
  return { path, predecessors, release }
}

/**
 * Returns true if the holder of a lock lives. If the holder was killed, waits for its end, because it keeps its files open until its end.
 */
async function outlives(holder: string): Promise<boolean> {
  const [pid, ...beginning] = holder.split(' ')
  if (!pid) return false
  for (let waitedMs = 0; ; waitedMs += limits.start.endingLookMs) {
    const life = await lifeOf(Number(pid), beginning.join(' '))
    if (life !== 'ending' || waitedMs >= limits.start.endingMs) return life !== 'gone'
    await pause(limits.start.endingLookMs)
  }
}

/** Writes atomically a file that only this user may read. A reader during the write, or after a crash, finds the earlier content. */
export async function writeSecretFile(path: string, content: string): Promise<void> {
  const draft = `${path}.${process.pid}.draft`
  await rm(draft, { force: true })
  try {
    await writeFile(draft, content, { mode: 0o600, flag: 'wx', flush: true })
    await rename(draft, path)
  } catch (error) {
    await rm(draft, { force: true })
    throw error
  }
}

/** Creates the file with its content in one step. Returns false if the file exists already. */
async function create(path: string, content: string): Promise<boolean> {
  const draft = `${path}.${process.pid}`
  await writeSecretFile(draft, content)
  try {
    await link(draft, path)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  } finally {
    await rm(draft, { force: true })
  }
}
