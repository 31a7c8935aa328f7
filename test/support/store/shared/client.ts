// The store port over a connection to the shared store (`serve.ts`). For tests only. As with MongoDB: a call waits up to
// `limits.store.answerMs` for the connection and for its response, and is `unavailable` without one, with an unknown outcome. A call whose
// connection was lost is never sent again, because the caller knows what is safe to retry.
import { connect, type Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { limits } from '#shared/limits/limits.ts'
import { type Store, StoreError, UnreadableDocument } from '#shared/store/port.ts'
import { putOneByOne } from '#shared/store/put-one-by-one.ts'
import { type Failure, type Response, readFrames, sendFrame } from './frames.ts'
import type { Served } from './methods.ts'

interface Call {
  method: Served
  values: unknown[]
  isSent: boolean
  settle(value: unknown, failure: Failure | null): void
}

const reconnectMs = 100
const away: Failure = { name: 'StoreError', kind: 'unavailable', message: 'The shared store does not answer.' }
const closed: Failure = { ...away, message: 'The connection to the shared store is closed.' }

/** Connects; waits up to `limits.start.patienceMs` for the server. Rejects with a StoreError. `url`: anything with a host and a port. */
export async function openSharedStore(url: string): Promise<Store> {
  const { hostname, port } = new URL(url)
  const link = createLink(() => connect({ host: hostname, port: Number(port), noDelay: true }))
  const giveUpAt = performance.now() + limits.start.patienceMs
  for (;;) {
    try {
      await link.call('ping')
      return createStore(link)
    } catch (error) {
      if (performance.now() < giveUpAt) continue
      link.close()
      throw error
    }
  }
}

interface Link {
  call(method: Served, ...values: unknown[]): Promise<unknown>
  close(): void
}

function createLink(open: () => Socket): Link {
  const calls = new Map<number, Call>()
  let next = 0
  let socket: Socket | null = null
  let isClosed = false

  const send = (number: number, call: Call, to: Socket) => {
    call.isSent = true
    sendFrame(to, [number, call.method, call.values])
  }
  const stayConnected = async () => {
    while (!isClosed) {
      const opened = open()
      opened.on('error', () => undefined)
      const end = new Promise<void>(resolve => opened.once('close', () => resolve()))
      opened.once('connect', () => {
        socket = opened
        for (const [number, call] of calls) send(number, call, opened)
      })
      readFrames<Response>(opened, ([number, value, failure]) => calls.get(number)?.settle(value, failure))
      await end
      socket = null
      for (const call of calls.values()) if (call.isSent) call.settle(null, away)
      await pause(reconnectMs)
    }
  }
  void stayConnected()
  const call = (method: Served, ...values: unknown[]) =>
    new Promise<unknown>((resolve, reject) => {
      if (isClosed) return reject(errorOf(closed))
      const number = next++
      const late = setTimeout(() => made.settle(null, away), limits.store.answerMs)
      const made: Call = {
        method,
        values,
        isSent: false,
        settle: (value, failure) => {
          clearTimeout(late)
          calls.delete(number)
          if (failure === null) resolve(value)
          else reject(errorOf(failure))
        },
      }
      calls.set(number, made)
      if (socket !== null) send(number, made, socket)
    })
  return {
    call,
    close: () => {
      isClosed = true
      for (const each of calls.values()) each.settle(null, closed)
      socket?.destroy()
    },
  }
}

function createStore({ call, close }: Link): Store {
  const method =
    (name: Served) =>
    (...values: unknown[]) =>
      call(name, ...values) as never
  const puts = { insert: method('insert'), replace: method('replace'), advance: method('advance'), upsert: method('upsert') }
  return {
    ...puts,
    putInOrder: putOneByOne(puts),
    get: method('get'),
    delete: method('delete'),
    deleteRange: method('deleteRange'),
    find: method('find'),
    numbers: method('numbers'),
    count: method('count'),
    expire: method('expire'),
    ping: method('ping'),
    room: method('room'),
    close: async () => close(),
  }
}

function errorOf({ name, message, kind, collection, id }: Failure): Error {
  if (kind !== undefined) return new StoreError(kind, message)
  if (collection !== undefined && id !== undefined)
    return Object.assign(new UnreadableDocument(collection, id, null), { message })
  return Object.assign(new Error(message), { name })
}
