// The mark: a small file beside the SQLite file, with two counts of commits (ADR 25). `commits` is written after each commit, and is valid
// until the operating system restarts. `durable` is written after a flush, and is always valid. A count never exceeds the commits that the
// SQLite file had. So if the SQLite file has fewer commits than a valid count when it is opened, it has lost commits.
import { closeSync, ftruncateSync, openSync, readFileSync, writeSync } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { bootId } from '#shared/time/boot-id.ts'

export interface Mark {
  commits: number
  /** Boot id that the operating system had when `commits` was written. */
  boot: string
  /** Number of commits that a power failure cannot undo. */
  durable: number
}

export interface OpenMark {
  /** Stores the number of commits after a commit. */
  note(commits: number): void
  /** Stores the number of commits as durable and closes the mark. Called after the whole SQLite file was flushed. */
  close(commits: number): void
}

export const markPath = (path: string): string => `${path}-mark`

/** Length of each of the two lines. The length is fixed, so that one write replaces a line. */
const lineBytes = 64

/** Returns the mark; null if it is missing or unreadable. */
export function readMark(path: string): Mark | null {
  const [, commits, boot = '', durable] = /^(\d+) commits (\S*) *\n(\d+) durable *\n$/.exec(textOf(markPath(path))) ?? []
  return commits === undefined ? null : { commits: Number(commits), boot, durable: Number(durable) }
}

/** Returns the number of commits that the SQLite file must have at least. If the file has fewer, commits were lost. */
export function leastCommits({ commits, boot, durable }: Mark): number {
  return boot !== '' && boot === bootId() ? Math.max(commits, durable) : durable
}

/**
 * Whether the operating system may have ended while the file was open, or the file may come from elsewhere. A killed process damages no file,
 * because the operating system still has what it wrote.
 */
export const mayHaveLostPower = (mark: Mark | null): boolean =>
  mark === null || (mark.commits !== mark.durable && (mark.boot === '' || mark.boot !== bootId()))

/**
 * Opens the mark of a flushed SQLite file. `commits`: number of commits in this file. If the mark cannot be written, its counts stay too
 * low, which is harmless.
 */
export function openMark(path: string, commits: number): OpenMark {
  const boot = bootId()
  const write = (text: string, at: number) => {
    try {
      if (file !== null) writeSync(file, text, at)
    } catch {
      // A failed write is ignored: if the disk is full, the store reports it.
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
 * Flushes the write-ahead log, then stores `commits` as durable. The writing thread may write meanwhile. The counted commits are in the
 * log, or a checkpoint has moved them to the SQLite file and flushed this file. Must not open the SQLite file itself, because closing the
 * file would release SQLite's locks.
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

/** Opens a file without truncating it. Lines are replaced in place, so that the file has complete lines at every moment. */
function openOrNull(path: string): number | null {
  for (const flags of ['r+', 'wx+']) {
    try {
      return openSync(path, flags, 0o600)
    } catch {
      // The file cannot be opened with these flags; the next flags are tried.
    }
  }
  return null
}
