// Address by which the connections of this process open the data file. The address selects an SQLite VFS that keeps the index of the
// write-ahead log in memory. With another VFS, the index would be a memory-mapped file, and a write to the index would wait while the
// system writes the same page to disk.
import { pathToFileURL } from 'node:url'

/**
 * Returns the address. Only one process at a time may use the address; this process may have any number of connections. Windows lacks
 * the VFS `unix-excl`, so the path itself is returned there.
 */
export function sqliteAddress(path: string): string | URL {
  if (process.platform === 'win32') return path
  const address = pathToFileURL(path)
  address.searchParams.set('vfs', 'unix-excl')
  return address
}
