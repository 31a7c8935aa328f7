// The mark beside the SQLite file: how many commits the file has seen, so that a start notices a file that has lost some (ADR 25). It is
// never ahead of the file. `commits` is written after each commit and counts until the operating system starts again; `durable` is
// written after a flush and counts for ever.
import { closeSync, ftruncateSync, openSync, readFileSync, writeSync } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { bootId } from '#shared/boot-id.ts'

export interface Mark {
  commits: number
  /** The run of the operating system in which `commits` was written. */
  boot: string
  /** Commits that a power failure leaves. */
  durable: number
}

export interface OpenMark {
  /** After a commit. */
  note(commits: number): void
  /** At the end: the file has these commits and all of it is flushed. */
  close(commits: number): void
}

export const markPath = (path: string): string => `${path}-mark`

/** Each of the two lines fills one of these, so that it is replaced in one write. */
const lineBytes = 64

/** Null if there is none, or none that can be read. */
export function readMark(path: string): Mark | null {
  const [, commits, boot = '', durable] = /^(\d+) commits (\S*) *\n(\d+) durable *\n$/.exec(textOf(markPath(path))) ?? []
  return commits === undefined ? null : { commits: Number(commits), boot, durable: Number(durable) }
}

/** How many commits the file must have now: more were lost only if it has fewer. */
export function leastCommits({ commits, boot, durable }: Mark): number {
  return boot !== '' && boot === bootId() ? Math.max(commits, durable) : durable
}

/** Of a file that has these commits and is flushed. A mark that can't be written falls behind, which is harmless. */
export function openMark(path: string, commits: number): OpenMark {
  const boot = bootId()
  const write = (text: string, at: number) => {
    try {
      if (file !== null) writeSync(file, text, at)
    } catch {
      // The disk is full, perhaps: the store itself says so.
    }
  }
  const file = openOrNull(markPath(path))
  if (file !== null) ftruncateSync(file, 2 * lineBytes)
  const note = (count: number) => write(commitsLine(count, boot), 0)
  note(commits)
  write(durableLine(commits), lineBytes)
  return {
    note,
    close: count => {
      note(count)
      write(durableLine(count), lineBytes)
      if (file !== null) closeSync(file)
    },
  }
}

/**
 * Flushes the write-ahead log beside the thread that writes it, and notes these commits, which it held before: those that left it since
 * were flushed with the file. The file itself must not be opened here: closing it would give its locks away.
 */
export async function flushSqliteFile(path: string, commits: number): Promise<void> {
  await flushed(`${path}-wal`, async () => undefined)
  await flushed(markPath(path), async mark => void (await mark.write(durableLine(commits), lineBytes)))
}

async function flushed(path: string, change: (file: FileHandle) => Promise<void>): Promise<void> {
  const file = await open(path, 'r+')
  try {
    await change(file)
    await file.datasync()
  } finally {
    await file.close()
  }
}

const commitsLine = (commits: number, boot: string): string => line(`${commits} commits ${boot}`)
const durableLine = (commits: number): string => line(`${commits} durable`)
const line = (text: string): string => `${text.padEnd(lineBytes - 1)}\n`

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}

/** Lines are replaced in place, so that none is missing at any moment. */
function openOrNull(path: string): number | null {
  for (const flags of ['r+', 'wx+']) {
    try {
      return openSync(path, flags, 0o600)
    } catch {
      // The other one may do.
    }
  }
  return null
}
