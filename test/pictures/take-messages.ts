// `node test/pictures/take-messages.ts`: takes the pictures of messages in docs/notifications.md in a real browser: a mail as its channel makes
// it, and the page behind its acknowledge link on a telephone. Writes docs/pictures/*.png. Needs a Chromium.
import { join } from 'node:path'
import type { Browser } from 'playwright-core'
import { email } from '#shared/channels/email/channel.ts'
import { withoutValues } from '#shared/channels/slots.ts'
import { incidentPage } from '../../services/gateway/acknowledge/page.ts'
import { alert, facts, startAt } from '../notifier/house.ts'
import { browserPath, noBrowser, startBrowser } from '../support/clients/find-browser.ts'

const folder = join(import.meta.dirname, '../../docs/pictures')
const origin = 'https://watch.example.com'
const minute = 60_000

const say = (line: string) => process.stderr.write(`${line}\n`)

async function take(browser: Browser, name: string, html: string, width: number): Promise<void> {
  const context = await browser.newContext({ viewport: { width, height: 200 }, deviceScaleFactor: 1.5, colorScheme: 'light' })
  const page = await context.newPage()
  await page.setContent(html)
  await page.screenshot({ path: join(folder, `${name}.png`), fullPage: true })
  await context.close()
  say(`docs/pictures/${name}.png`)
}

function mail(): string {
  const about = { alert: alert('one', 'shop', 1, { facts }), incident: 'INCIDENT', locationName: (id: string) => id.slice(0, 2) }
  const links = { subject: `${origin}/subjects/shop`, acknowledge: `${origin}/a/TOKEN` }
  return withoutValues(email.render(about, 'problem', { to: true }, links)?.mail?.html ?? '')
}

const page = (): string =>
  incidentPage({
    cause: 'connection refused (de)',
    now: startAt + 2 * minute,
    link: {
      workspaceId: 'w',
      destination: { id: 'd', name: 'On call' },
      incident: {
        ...{ id: 'shop.1', resource: { id: 'shop', key: 'shop', name: 'Shop' }, rule: 'availability', isOfLocations: true },
        ...{ action: null, isOpen: true, condition: 'problem', cause: null, explanation: '1 of 3 locations failing' },
        ...{ openedAt: startAt - 2 * minute, confirmedAt: startAt, closedAt: null, closedReason: null, effectiveAt: startAt },
        acknowledgement: null,
      },
    },
  })

if (browserPath === null) {
  say(noBrowser)
  process.exit(1)
}
const browser = await startBrowser()
try {
  await take(browser, 'mail', mail(), 480)
  await take(browser, 'acknowledge', page(), 360)
} finally {
  await browser.close()
}
