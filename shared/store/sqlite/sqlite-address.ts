// Address by which the connections of this process open the data file. It selects the VFS that keeps the index of the write-ahead log in
// memory. In a file, the index would be mapped, and a write to a mapped page waits while the system writes that page to disk.
import { pathToFileURL } from 'node:url'

/** Returns the address. Several connections of one process may use it at once, but only one process. Windows has no such VFS. */
export function sqliteAddress(path: string): string | URL {
  if (process.platform === 'win32') return path
  const address = pathToFileURL(path)
  address.searchParams.set('vfs', 'unix-excl')
  return address
}
