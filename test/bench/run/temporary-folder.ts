// Folders of a run under the system's temporary one; none outlives the run, also when it is interrupted.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const folders = new Set<string>()

export function makeTemporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'watchkeeper-bench-'))
  folders.add(folder)
  return folder
}

/** Tries for a second: a bus server that is about to end may still write there. */
export function removeTemporaryFolder(folder: string): void {
  rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 })
  folders.delete(folder)
}

export function removeAllTemporaryFolders(): void {
  for (const folder of folders) removeTemporaryFolder(folder)
}
