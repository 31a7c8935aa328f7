// How the connections of this process open the data file: by the file system layer that keeps the index of the write-ahead log in memory.
// As a file it would be mapped, and a write to a mapped page waits for the disk whenever that page is on its way there.
import { pathToFileURL } from 'node:url'

/** Several connections of one process may be open by it, and no other process may. Windows has no such layer. */
export function sqliteAddress(path: string): string | URL {
  if (process.platform === 'win32') return path
  const address = pathToFileURL(path)
  address.searchParams.set('vfs', 'unix-excl')
  return address
}
