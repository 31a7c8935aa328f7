// Frames of the shared store: a length of four bytes, then a value as `v8.serialize` writes it. So every value arrives exactly as it was,
// also typed arrays and members that are undefined.
import type { Socket } from 'node:net'
import { deserialize, serialize } from 'node:v8'

/** A call: its number on this connection, the method of the store, and the arguments. */
export type Request = [number: number, method: string, values: unknown[]]

/** The outcome of a call: its number, and either the value or the error. */
export type Response = [number: number, value: unknown, failure: Failure | null]

export interface Failure {
  name: string
  message: string
  /** Of a StoreError. */
  kind?: 'unavailable' | 'permanent'
  /** Of an UnreadableDocument. */
  collection?: string
  id?: string
}

const lengthBytes = 4
/** Longest frame: more than any call of a service needs. A longer length shows that the other end speaks something else. */
const frameBytesMax = 256 * 1024 * 1024

/** Sends a frame; the frames of one turn of the event loop leave together. */
export function sendFrame(socket: Socket, frame: Request | Response): void {
  const body = serialize(frame)
  const length = Buffer.alloc(lengthBytes)
  length.writeUInt32LE(body.length)
  if (socket.writableCorked === 0) {
    socket.cork()
    setImmediate(() => socket.uncork())
  }
  socket.write(length)
  socket.write(body)
}

/** Calls `take` with each frame that arrives. Closes the connection when it carries anything else. */
export function readFrames<Frame extends Request | Response>(socket: Socket, take: (frame: Frame) => void): void {
  let parts: Buffer[] = []
  let bytes = 0
  let needed = lengthBytes
  socket.on('data', chunk => {
    parts.push(chunk as Buffer)
    bytes += chunk.length
    if (bytes < needed) return
    const all = parts.length === 1 ? (parts[0] as Buffer) : Buffer.concat(parts)
    let at = 0
    try {
      for (;;) {
        needed = lengthBytes
        if (all.length - at < needed) break
        needed += all.readUInt32LE(at)
        if (needed > frameBytesMax) throw new RangeError('a frame is too long')
        if (all.length - at < needed) break
        take(deserialize(all.subarray(at + lengthBytes, at + needed)) as Frame)
        at += needed
      }
    } catch (error) {
      socket.destroy(error as Error)
      return
    }
    parts = at === all.length ? [] : [all.subarray(at)]
    bytes = all.length - at
  })
}
