// `node test/pictures/take-messages.ts`: takes the pictures of messages in docs/notifications.md in a real browser: a mail as its channel makes
// it, and the page behind its acknowledge link on a telephone. Writes docs/pictures/*.png. Needs a Chromium.
import { join } from 'node:path'
import type { Browser } from 'playwright-core'
import { email } from '#shared/channels/email/channel.ts'
import { withoutValues } from '#shared/channels/slots.ts'
import { teams } from '#shared/channels/teams/channel.ts'
import { incidentPage } from '../../services/gateway/acknowledge/page.ts'
import { adaptiveCardsPath } from '../channels/adaptive-cards.ts'
import { alert, facts, startAt } from '../notifier/house.ts'
import { browserPath, noBrowser, startBrowser } from '../support/clients/find-browser.ts'

const folder = join(import.meta.dirname, '../../docs/pictures')
const origin = 'https://watch.example.com'
const minute = 60_000

const say = (line: string) => process.stderr.write(`${line}\n`)

/** `card`: an Adaptive Card that the page draws in its element `card`. */
async function take(browser: Browser, name: string, html: string, width: number, card?: unknown): Promise<void> {
  const context = await browser.newContext({ viewport: { width, height: 200 }, deviceScaleFactor: 1.5, colorScheme: 'light' })
  const page = await context.newPage()
  await page.setContent(html)
  if (card !== undefined) {
    await page.addScriptTag({ path: adaptiveCardsPath() })
    await page.evaluate(`(${drawCard})(${JSON.stringify(card)})`)
  }
  await page.screenshot({ path: join(folder, `${name}.png`), fullPage: true })
  await context.close()
  say(`docs/pictures/${name}.png`)
}

const about = { alert: alert('one', 'shop', 1, { facts }), incident: 'INCIDENT', locationName: (id: string) => id.slice(0, 2) }
const links = { subject: `${origin}/subjects/shop`, acknowledge: `${origin}/a/TOKEN` }

function mail(): string {
  return withoutValues(email.render(about, 'problem', { to: true }, links)?.mail?.html ?? '')
}

function card(): unknown {
  const { body } = teams.render(about, 'problem', { url: true }, links) ?? { body: '{}' }
  const [attachment] = (JSON.parse(body) as { attachments: { content: unknown }[] }).attachments
  return attachment?.content
}

/** Runs in the page. The colours and sizes are those of Teams. */
const drawCard = `card => {
  const { AdaptiveCard, HostConfig } = AdaptiveCards
  const drawn = new AdaptiveCard()
  drawn.hostConfig = new HostConfig({
    fontFamily: 'Segoe UI, system-ui, sans-serif',
    containerStyles: { default: { foregroundColors: {
      default: { default: '#242424' }, attention: { default: '#c4314b' }, warning: { default: '#835c00' },
      good: { default: '#237b4b' }, accent: { default: '#5b5fc7' } } } },
    actions: { actionsOrientation: 'horizontal', actionAlignment: 'left', buttonSpacing: 8 },
  })
  drawn.parse(card)
  document.getElementById('card').append(drawn.render())
}`

const cardFrame = `<!doctype html><style>
  body { margin: 0; padding: 16px; background: #f5f5f5 }
  #card { padding: 12px 16px; border: 1px solid #e1e1e1; border-radius: 6px; background: #fff }
  .ac-pushButton { padding: 6px 12px; border: 1px solid #d1d1d1; border-radius: 4px; background: #fff; font: 600 14px system-ui }
</style><div id="card"></div>`

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
  await take(browser, 'teams', cardFrame, 480, card())
} finally {
  await browser.close()
}
