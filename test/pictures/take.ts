// `npm run pictures`: takes the pictures of the README in a real browser, with the real keeper, directory and gateway in virtual time.
// Made-up websites are checked for a day and have problems in the last half hour. Writes docs/pictures/*.png. Needs a Chromium.
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { browserPath, noBrowser, startBrowser } from '../support/clients/find-browser.ts'
import { passwordOf } from '../support/worlds/session-world.ts'
import { startStory } from './story.ts'

const folder = join(import.meta.dirname, '../../docs/pictures')

const say = (line: string) => process.stderr.write(`${line}\n`)

interface Picture {
  name: string
  path: string
  colorScheme: 'light' | 'dark'
  height: number
  /** Resolves when the page shows everything that belongs in its picture. */
  drawn(page: Page): Promise<void>
}

async function take(browser: Browser, address: string, { name, path, colorScheme, height, drawn }: Picture): Promise<void> {
  const context = await browser.newContext({
    viewport: { width: 1280, height },
    colorScheme,
    reducedMotion: 'reduce',
    timezoneId: 'UTC',
    locale: 'en-GB',
  })
  const data = { username: 'edith', password: passwordOf('edith') }
  await context.request.post(`${address}/session/sign-in`, { data, headers: { origin: address } })
  const page = await context.newPage()
  await page.goto(address + path)
  await drawn(page)
  await page.screenshot({ path: join(folder, `${name}.png`) })
  await context.close()
  say(`docs/pictures/${name}.png`)
}

if (browserPath === null) {
  say(noBrowser)
  process.exit(1)
}
say('A day of checks goes by …')
const { world, monitor, incident } = await startStory()
const browser = await startBrowser()
try {
  await mkdir(folder, { recursive: true })
  await take(browser, world.address, {
    ...{ name: 'list', path: '/', colorScheme: 'light', height: 600 },
    drawn: page => page.locator('.monitors .row .p95', { hasText: 'ms' }).first().waitFor(),
  })
  await take(browser, world.address, {
    ...{ name: 'incident', path: `/incidents/${incident}`, colorScheme: 'light', height: 900 },
    drawn: page => page.locator('.stage .due text').waitFor(),
  })
  await take(browser, world.address, {
    ...{ name: 'monitor', path: `/monitors/${monitor}`, colorScheme: 'dark', height: 1_060 },
    drawn: page => page.locator('.chart path').first().waitFor(),
  })
} finally {
  await browser.close()
  await world.stop()
}
