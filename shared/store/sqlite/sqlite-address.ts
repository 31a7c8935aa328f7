// Address by which the connections of this process open the data file. It selects the VFS that keeps the index of the write-ahead log in
// memory. An index in a file would be memory-mapped, and a write to a mapped page waits while the system writes that page to disk.
import { pathToFileURL } from 'node:url'

/** Returns the address. Only one process may use it at a time, with any number of connections. Windows has no such VFS. */
export function sqliteAddress(path: string): string | URL {
  if (process.platform === 'win32') return path
  const address = pathToFileURL(path)
  address.searchParams.set('vfs', 'unix-excl')
  return address
}
