// The data folder: who has it, whether it can be written, its disk. Writes one small file and removes it.
import { access, constants, open, rm, stat, statfs } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { randomId } from '#shared/text/ids.ts'
import type { Clock } from '#shared/time/clock.ts'
import { holderOf } from '../../runtime/data/data-folder.ts'
import type { FolderFacts } from '../facts.ts'

/** As large as a page of the store. */
const flushedBytes = 4_096
const flushes = 5

export async function lookAtFolder(folder: string, clock: Clock): Promise<FolderFacts> {
  const path = resolve(folder)
  const present = await stat(path).catch(() => null)
  if (present === null) return { path, exists: false, unwritable: null, holder: null, room: null, flushMs: null }
  const unwritable = await faultOf(path, present.isDirectory())
  const disk = await statfs(path).catch(() => null)
  return {
    path,
    exists: true,
    unwritable,
    holder: await holderOf(path),
    room: disk && { freeBytes: disk.bavail * disk.bsize, totalBytes: disk.blocks * disk.bsize },
    flushMs: unwritable === null ? await flushTime(path, clock).catch(() => null) : null,
  }
}

async function faultOf(path: string, isFolder: boolean): Promise<string | null> {
  if (!isFolder) return `The data folder ${path} is not a folder: correct DATA_DIR.`
  return access(path, constants.R_OK | constants.W_OK | constants.X_OK).then(
    () => null,
    ({ code }: NodeJS.ErrnoException) =>
      `The data folder ${path} can't be written (${code}): run this command as the user of Watchkeeper, or correct the rights of that folder.`,
  )
}

/** Returns the median time in which a small write reaches the disk, ms. */
async function flushTime(path: string, clock: Clock): Promise<number> {
  const name = join(path, `doctor-${randomId(8)}.draft`)
  const file = await open(name, 'wx', 0o600)
  try {
    const took: number[] = []
    for (let i = 0; i < flushes; i++) {
      const startedAt = clock.monotonic()
      await file.write(Buffer.alloc(flushedBytes, i))
      await file.sync()
      took.push(clock.monotonic() - startedAt)
    }
    return took.toSorted((one, other) => one - other)[Math.floor(flushes / 2)] ?? 0
  } finally {
    await file.close()
    await rm(name, { force: true })
  }
}
