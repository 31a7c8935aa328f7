// Path of a Chromium on this machine, and its start options.
import { existsSync } from 'node:fs'
import { type Browser, chromium } from 'playwright-core'

const places = [process.env['CHROMIUM'], '/usr/bin/chromium', '/usr/bin/google-chrome']

/** Path of the browser; null: not installed. */
export const browserPath = places.find(path => path !== undefined && path !== '' && existsSync(path)) ?? null

export const noBrowser = 'No browser was found: install chromium (apt-get install chromium), or set CHROMIUM to the path of one.'

/**
 * Features of Chromium that are off. The last three start processes with each window: a suggestion list of the address bar and a spare page;
 * without them, opening a page takes 0.4 s of processor time, with them 1 s. The others are those of Playwright's own list that matter here,
 * because Chromium reads only the last list.
 */
const featuresOff = [
  ...[
    'AvoidUnnecessaryBeforeUnloadCheckSync',
    'DestroyProfileOnBrowserClose',
    'HttpsUpgrades',
    'HttpsFirstBalancedModeAutoEnable',
  ],
  ...['LensOverlay', 'MediaRouter', 'PaintHolding', 'ThirdPartyStoragePartitioning', 'AvoidCorsURLLoaderRestartOnRedirect'],
  ...['OptimizationHints', 'NetworkTimeServiceQuerying', 'AimEnabled', 'PreconnectToSearch'],
  ...['WebUIOmniboxPopup', 'WebUIOmniboxAimPopup', 'SpareRendererForSitePerProcess'],
]

/** Throws if there is no browser. */
export async function startBrowser(): Promise<Browser> {
  if (browserPath === null) throw new Error(noBrowser)
  // Chromium refuses to start with its sandbox as root.
  const sandbox = process.getuid?.() === 0 ? ['--no-sandbox'] : []
  const args = [...sandbox, '--disable-dev-shm-usage', `--disable-features=${featuresOff.join(',')}`]
  return chromium.launch({ executablePath: browserPath, args })
}
