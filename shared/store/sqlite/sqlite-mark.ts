// The mark beside the SQLite file: a count of its commits, by which a start notices that the file has lost commits (ADR 25). Its counts
// never exceed the commits in the file. `commits` is written after each commit and is valid until the operating system restarts. `durable`
// is written after a flush and is always valid.
import { closeSync, ftruncateSync, openSync, readFileSync, writeSync } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { bootId } from '#shared/time/boot-id.ts'

export interface Mark {
  commits: number
  /** Boot id of the operating system at the write of `commits`. */
  boot: string
  /** Number of commits that survive a power failure. */
  durable: number
}

export interface OpenMark {
  /** Stores the count after a commit. */
  note(commits: number): void
  /** Stores the count at the end, when all of the file is flushed. */
  close(commits: number): void
}

export const markPath = (path: string): string => `${path}-mark`

/** Fixed length of both lines, so that one write replaces a line. */
const lineBytes = 64

/** Returns the mark; null if it is missing or unreadable. */
export function readMark(path: string): Mark | null {
  const [, commits, boot = '', durable] = /^(\d+) commits (\S*) *\n(\d+) durable *\n$/.exec(textOf(markPath(path))) ?? []
  return commits === undefined ? null : { commits: Number(commits), boot, durable: Number(durable) }
}

/** Returns the number of commits that the file must have now. If it has fewer, commits were lost. */
export function leastCommits({ commits, boot, durable }: Mark): number {
  return boot !== '' && boot === bootId() ? Math.max(commits, durable) : durable
}

/**
 * Opens the mark of a flushed file with this many commits. If the mark cannot be written, its count stays behind the file, which is
 * harmless.
 */
export function openMark(path: string, commits: number): OpenMark {
  const boot = bootId()
  const write = (text: string, at: number) => {
    try {
      if (file !== null) writeSync(file, text, at)
    } catch {
      // The disk may be full, which the store reports.
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
 * Flushes the write-ahead log while its own thread may be writing, then stores `commits` as durable. These commits are in the log, or have
 * since moved to the flushed file. Must not open the file itself, because closing it would release its locks.
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

/** Opens a file without truncating it, because lines are replaced in place and none may be missing at any moment. */
function openOrNull(path: string): number | null {
  for (const flags of ['r+', 'wx+']) {
    try {
      return openSync(path, flags, 0o600)
    } catch {
      // Try the other flags.
    }
  }
  return null
}
