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

/** An asset whose path stays the same. `mark`: hash of its content. */
export type Script = Asset & { mark: string }

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

/** Bundles by name. */
export interface Bundles {
  dashboard: Assets
  configuration: Script
}

/** Message of the process that bundles: the bundle, or the messages of the bundler. */
export type Bundled<Name extends keyof Bundles = keyof Bundles> = { made: Bundles[Name] } | { fault: string }

export const assetFolder = '/assets'

/** Bundles the dashboard once. Rejects with the bundler's messages if a source has an error. */
export const dashboardAssets = bundleOnce('dashboard')

/** Script that plans configuration files, bundled at its first request. Its ETag is derived from its content. */
export const configurationScript = bundleOnce('configuration')

/** Returns a function that bundles at its first call. After a failure, the next call bundles again. */
export function bundleOnce<Name extends keyof Bundles>(name: Name): () => Promise<Bundles[Name]> {
  let made: Promise<Bundles[Name]> | null = null
  return () => {
    made ??= bundleElsewhere(name).catch(error => {
      made = null
      throw error
    })
    return made
  }
}

/**
 * Bundles in a process of its own, which has a low priority and then ends: bundling takes 0.6 s of CPU, and its memory would stay
 * with this process (ADR 29).
 */
function bundleElsewhere<Name extends keyof Bundles>(name: Name): Promise<Bundles[Name]> {
  const program = fileURLToPath(new URL('./bundle-process.ts', import.meta.url))
  const bundler = fork(program, [name], {
    serialization: 'advanced',
    execArgv: [],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  return new Promise((resolve, reject) => {
    bundler.on('message', (message: Bundled<Name>) =>
      'made' in message ? resolve(message.made) : reject(new Error(message.fault)),
    )
    bundler.on('error', reject)
    bundler.on('disconnect', () => reject(new Error('The process that bundles ended without a bundle')))
  })
}
