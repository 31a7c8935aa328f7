// Temporary folders of a run. None outlives the run, even an interrupted one.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const folders = new Set<string>()

export function makeTemporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'watchkeeper-bench-'))
  folders.add(folder)
  return folder
}

/** Retries for a second, because an ending bus server may still write into the folder. */
export function removeTemporaryFolder(folder: string): void {
  rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 })
  folders.delete(folder)
}

export function removeAllTemporaryFolders(): void {
  for (const folder of folders) removeTemporaryFolder(folder)
}
