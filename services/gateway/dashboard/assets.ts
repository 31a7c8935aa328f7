// Scripts and styles of the dashboard. They are bundled and compressed once per process, kept in memory, and named by a hash of their
// content. No file is written.
import { fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { PageName } from '#shared/contracts/session/page-paths.ts'

export interface Asset {
  type: string
  body: Buffer
  /** Body compressed with brotli. Null for a source map, because browsers rarely request source maps. */
  brotli: Buffer | null
}

/** Paths of the scripts that the HTML of a page links. The scripts also contain the style sheets of pages. */
export interface Bundle {
  script: string
  /** Additional scripts that the HTML of a page links, by name of the page. Only pages that people often open first have an entry. */
  ofPage: Readonly<Partial<Record<PageName, string[]>>>
}

export interface Assets {
  /** Assets by path. */
  files: ReadonlyMap<string, Asset>
  app: Bundle
  signIn: Bundle
  /** Path of the style sheet of pages without scripts. */
  style: string
}

/** Message of the process that bundles: the bundle, or the messages of the bundler. */
export type Bundled = { made: Assets } | { fault: string }

export const assetFolder = '/assets'

/** Bundles the dashboard once. Rejects with the bundler's messages if a source has an error. */
export const dashboardAssets = bundleOnce()

/** Priority of the process that bundles. `low`: nobody waits for the bundle yet. */
export type Priority = 'low' | 'normal'

/**
 * Returns a function that bundles once. If a person needs the bundle (`normal`) while it is being made with a low priority, it is made a
 * second time and the first bundle counts. On a busy machine, a process of low priority takes many times as long. If no bundle could be
 * made, the next call bundles again. `bundle`: makes the bundle.
 */
export function bundleOnce(
  bundle: (priority: Priority) => Promise<Assets> = bundleElsewhere,
): (priority?: Priority) => Promise<Assets> {
  const running = new Map<Priority, Promise<Assets>>()
  let made: Assets | null = null
  return async (priority = 'normal') => {
    if (made !== null) return made
    if (!running.has(priority)) {
      const started = bundle(priority).finally(() => running.delete(priority))
      running.set(priority, started)
    }
    made = await Promise.any(running.values()).catch((failures: AggregateError) => {
      throw failures.errors[0]
    })
    return made
  }
}

/** Bundles in a process of its own, which then ends: bundling takes 0.6 s of CPU, and its memory would stay with this process (ADR 29). */
function bundleElsewhere(priority: Priority): Promise<Assets> {
  const program = fileURLToPath(new URL('./bundle-process.ts', import.meta.url))
  const bundler = fork(program, [priority], {
    serialization: 'advanced',
    execArgv: [],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  return new Promise((resolve, reject) => {
    bundler.on('message', (message: Bundled) => ('made' in message ? resolve(message.made) : reject(new Error(message.fault))))
    bundler.on('error', reject)
    bundler.on('disconnect', () => reject(new Error('The process that bundles ended without a bundle')))
  })
}
