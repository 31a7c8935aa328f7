// Program: serves the store port over TCP on loopback, on one SQLite file, to any number of processes. For tests only. Arguments: the file
// and the port. Ends when its standard input ends, so at the latest with its parent.
import { createServer } from 'node:net'
import { second } from '#shared/limits/limits.ts'
import { type CollectionName, collections } from '#shared/store/collections.ts'
import { StoreError, UnreadableDocument } from '#shared/store/port.ts'
import { openSqliteStore } from '#shared/store/sqlite/sqlite.ts'
import { type Failure, type Request, type Response, readFrames, sendFrame } from './frames.ts'
import { isServed } from './methods.ts'

const [, , path = '', port = ''] = process.argv
const expireMs = 60 * second
const store = await openSqliteStore(path)

const server = createServer({ noDelay: true }, socket => {
  // A client that was killed needs no response.
  socket.on('error', () => undefined)
  readFrames<Request>(socket, async request => {
    const response = await outcomeOf(request)
    if (socket.writable) sendFrame(socket, response)
  })
})
server.listen(Number(port), '127.0.0.1')
process.stdin.on('end', () => process.exit()).resume()

// Expires documents by its own clock, as MongoDB does, and not by the clocks of its clients.
setInterval(async () => {
  for (const name of Object.keys(collections) as CollectionName[])
    if (collections[name].expires) await store.expire(name, Date.now(), 1_000).catch(() => undefined)
}, expireMs)

async function outcomeOf([number, method, values]: Request): Promise<Response> {
  try {
    if (!isServed(method)) throw new StoreError('permanent', `The shared store has no ${method}.`)
    if (method === 'expire' && collections[values[0] as CollectionName]?.expires === true) return [number, 0, null]
    return [number, await (store[method] as (...given: unknown[]) => Promise<unknown>)(...values), null]
  } catch (error) {
    return [number, null, failureOf(error)]
  }
}

function failureOf(error: unknown): Failure {
  const { name, message } = error as Error
  if (error instanceof StoreError) return { name, message, kind: error.kind }
  if (error instanceof UnreadableDocument) return { name, message, collection: error.collection, id: error.id }
  return { name, message }
}
