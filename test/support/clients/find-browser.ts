// Path of a Chromium on this machine, and its start options.
import { existsSync } from 'node:fs'
import { type Browser, chromium } from 'playwright-core'

const places = [process.env['CHROMIUM'], '/usr/bin/chromium', '/usr/bin/google-chrome']

/** Path of the browser; null: not installed. */
export const browserPath = places.find(path => path !== undefined && path !== '' && existsSync(path)) ?? null

export const noBrowser = 'No browser was found: install chromium (apt-get install chromium), or set CHROMIUM to the path of one.'

/** Throws if there is no browser. */
export async function startBrowser(): Promise<Browser> {
  if (browserPath === null) throw new Error(noBrowser)
  // Chromium refuses to start with its sandbox as root.
  const sandbox = process.getuid?.() === 0 ? ['--no-sandbox'] : []
  return chromium.launch({ executablePath: browserPath, args: [...sandbox, '--disable-dev-shm-usage'] })
}
