// Process of the target, and functions that control it.
import { endChild, startChild } from './processes.ts'
import { pollUntil } from './waiting.ts'

export interface Hits {
  /** Instants of the hits, ms since the epoch, in the order of arrival. */
  instants: Float64Array
  /** Number of the path of each hit; `-1 - number` if the response was a failure. */
  paths: Int32Array
}

export interface Seen {
  /** Paths hit since the last `forget`. */
  distinct: number
  firstSeenAt: number | null
  /** Instant of the newest hit on a path without an earlier hit; null: no hit yet. */
  lastNewAt: number | null
  /** Number of hits kept since the start. */
  count: number
  /** Number of hits that were counted and not kept. */
  dropped: number
}

export interface Target {
  pid: number
  urlOf(path: number): string
  origin: string
  hookUrl: string
  /** Lets the path fail from now on; resolves with the instant and the number of earlier hits. */
  fail(path: number): Promise<{ at: number; count: number }>
  heal(path: number): Promise<{ at: number; count: number }>
  /** Lets the first `paths` paths fail at one instant. */
  failAll(paths: number): Promise<{ at: number; count: number }>
  healAll(paths: number): Promise<{ at: number; count: number }>
  hooks(from: number): Promise<{ at: number; body: string }[]>
  hits(from: number): Promise<Hits>
  seen(): Promise<Seen>
  /** Collects the target's garbage, so that no collection happens during a measurement. */
  collect(): Promise<void>
  /** Restarts the count of distinct paths. */
  forget(): Promise<void>
  /** Resolves when `paths` were hit since the last `forget`; throws after `timeoutMs`. */
  untilSeen(paths: number, timeoutMs: number): Promise<Seen>
  stop(): Promise<void>
}

/** Large young generation of V8, so that the target seldom collects garbage while it measures the instants of hits. */
const targetFlags = ['--min-semi-space-size=64', '--max-semi-space-size=64', '--expose-gc']

export async function startTarget(): Promise<Target> {
  const program = new URL('./target.ts', import.meta.url).pathname
  const child = startChild([...targetFlags, program], { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] })
  const ports = await new Promise<{ port: number; controlPort: number }>((resolve, reject) => {
    child.once('message', message => resolve(message as { port: number; controlPort: number }))
    child.once('exit', code => reject(new Error(`The target ended with ${code}.`)))
  })
  const origin = `http://127.0.0.1:${ports.port}`
  const control = `http://127.0.0.1:${ports.controlPort}`
  // A part may block this process for longer than the target keeps an idle connection, so no connection is used twice.
  const once = { headers: { connection: 'close' } }
  const ask = async <T>(path: string) => (await (await fetch(`${control}/control/${path}`, once)).json()) as T
  const seen = () => ask<Seen>('seen')
  return {
    pid: child.pid as number,
    origin,
    urlOf: path => `${origin}/m/${path}`,
    hookUrl: `${control}/hook`,
    fail: path => ask(`fail/${path}`),
    heal: path => ask(`heal/${path}`),
    failAll: paths => ask(`fail/first-${paths}`),
    healAll: paths => ask(`heal/first-${paths}`),
    hooks: from => ask(`hooks?from=${from}`),
    hits: async from => {
      const bytes = await (await fetch(`${control}/control/hits?from=${from}`, once)).arrayBuffer()
      const count = bytes.byteLength / 12
      return { instants: new Float64Array(bytes, 0, count), paths: new Int32Array(bytes, count * 8, count) }
    },
    seen,
    collect: async () => void (await ask('collect')),
    forget: async () => void (await ask('forget')),
    untilSeen: async (paths, timeoutMs) => {
      const what = `${paths} different paths to be checked`
      return pollUntil(what, seen, found => found.distinct >= paths, { timeoutMs, pauseMs: 100 })
    },
    stop: () => endChild(child, 'SIGKILL'),
  }
}
