// A real browser with a real gateway: opens pages as a person and collects their errors. Without a browser the tests print one sentence,
// and fail if CI=true.
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Browser, BrowserContext, CDPSession, Locator, Page } from 'playwright-core'
import t from 'tap'
import { descendantsOf, killNow } from '../run/processes.ts'
import { browserPath, noBrowser, startBrowser } from '../support/clients/find-browser.ts'
import { share } from '../support/shared.ts'
import { passwordOf } from '../support/worlds/session-world.ts'

export interface OpenOptions {
  /** Person who signs in first; absent: no sign-in. */
  as?: string
  colorScheme?: 'light' | 'dark'
  width?: number
  height?: number
  /** True: a phone, whose page gets touch events. */
  hasTouch?: boolean
  /** Script that runs before the page is loaded. */
  before?(context: BrowserContext): Promise<void>
}

export interface Seen {
  page: Page
  context: BrowserContext
  /** Console errors and warnings, script errors, and violations of the page's content security policy. */
  faults: string[]
  /**
   * Bytes received over the network so far, with headers, compressed; each address counts once. `under`: only of the addresses whose path
   * begins with it.
   */
  bytes(under?: string): number
  close(): Promise<void>
}

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

let browser: Browser | null = null

/** Runs the tests of a file in the browser that all files of the process share, if there is a browser. */
export async function withBrowser(run: () => Promise<void>): Promise<void> {
  if (browserPath === null) {
    if (process.env['CI'] === 'true') t.fail(noBrowser)
    else void t.test('the dashboard in a browser', { skip: noBrowser }, () => {})
    return
  }
  const started = await share(t, 'browser', async () => {
    const before = new Set(descendantsOf(process.pid).map(({ id }) => id))
    const thing = await startBrowser()
    const own = descendantsOf(process.pid).flatMap(({ id }) => (before.has(id) ? [] : [id]))
    const stop = async () => {
      await thing.close()
      // Chromium has closed its pages, but on a busy machine it may not end.
      for (const id of own) killNow(id)
    }
    return { thing, works: () => thing.isConnected(), stop }
  })
  browser = started
  // A test that failed leaves its pages open.
  t.teardown(() => Promise.all(started.contexts().map(context => context.close())))
  await run()
}

/** Each test has a browser context of its own, so no test sees the cookies of another test. */
export async function open(origin: string, path: string, options: OpenOptions = {}): Promise<Seen> {
  if (browser === null) throw new Error('Invariant broken: no browser runs')
  const { as, colorScheme = 'light', width = 1280, height = 900, hasTouch = false } = options
  const context = await browser.newContext({
    viewport: { width, height },
    colorScheme,
    hasTouch,
    reducedMotion: 'reduce',
    timezoneId: 'UTC',
    locale: 'en-GB',
  })
  if (as !== undefined) await signIn(context, origin, as)
  await options.before?.(context)
  const page = await context.newPage()
  // Shorter than the timeout of tap, so that a test that waits in vain names what it waited for. With 8 s, a test failed on a machine that
  // had other work.
  page.setDefaultTimeout(20_000)
  const faults: string[] = []
  page.on('console', message => {
    const where = message.location().url.replace(origin, '')
    if (message.type() === 'error' || message.type() === 'warning') faults.push(`${message.text()} ${where}`)
  })
  page.on('pageerror', error => faults.push(String(error)))
  const cdp = await context.newCDPSession(page)
  await cdp.send('Network.enable')
  const bytes = countBytes(cdp)
  await page.goto(origin + path)
  return { page, context, faults, bytes, close: () => context.close() }
}

/**
 * Returns the bytes received so far. A path that is asked again, as after an event, counts once: how often that happens depends on the
 * speed of the machine, not on the page.
 */
function countBytes(cdp: CDPSession): (under?: string) => number {
  const paths = new Map<string, string>()
  const received = new Map<string, number>()
  cdp.on('Network.requestWillBeSent', ({ requestId, request }) => void paths.set(requestId, new URL(request.url).pathname))
  cdp.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
    const path = paths.get(requestId) ?? requestId
    if (!received.has(path)) received.set(path, encodedDataLength)
  })
  return (under = '') => [...received].reduce((sum, [path, bytes]) => sum + (path.startsWith(under) ? bytes : 0), 0)
}

async function signIn(context: BrowserContext, origin: string, username: string): Promise<void> {
  const data = { username, password: passwordOf(username) }
  const answer = await context.request.post(`${origin}/session/sign-in`, { data, headers: { origin } })
  if (!answer.ok()) throw new Error(`${username} could not sign in: ${await answer.text()}`)
}

interface AxeResult {
  violations: string[]
  undecided: string[]
}

/**
 * Returns the violations that axe finds and the checks that axe cannot decide. Leaves out undecided checks of covered elements, texts in a
 * drawing and texts of one character, because axe checks the same colours in other texts. The debugger injects axe, so the content
 * security policy of the page is unchanged.
 */
export async function axeFaults(page: Page): Promise<string[]> {
  const cdp = await page.context().newCDPSession(page)
  await cdp.send('Runtime.evaluate', { expression: axe })
  const expression = `axe.run(document).then(found => ({
    violations: found.violations.map(({ id, nodes }) => id + ': ' + nodes.map(({ target }) => target).join(' ; ')),
    undecided: found.incomplete.flatMap(({ id, nodes }) => nodes.filter(({ any }) => !any.some(({ data }) =>
      ['elmPartiallyObscured', 'bgOverlap', 'imgNode', 'shortTextContent'].includes(data?.messageKey))).map(({ target, any }) => id + ' undecided (' + any[0]?.data?.messageKey + '): ' + target)),
  }))`
  const { result } = await cdp.send('Runtime.evaluate', { expression, awaitPromise: true, returnByValue: true })
  await cdp.detach()
  const { violations, undecided } = result.value as AxeResult
  return [...violations, ...undecided]
}

/** Scrolls through the sections that load when they become visible, and waits until all have loaded. */
export async function seeAll(page: Page): Promise<void> {
  await page.locator('.later').first().waitFor()
  for (const section of await page.locator('.later').all()) {
    await section.scrollIntoViewIfNeeded()
    await section.locator(':scope > :nth-child(2)').first().waitFor()
  }
  await page.locator('main [aria-busy=true]').first().waitFor({ state: 'detached' })
}

/** Returns whether the content of the page is wider than its window. */
export const overflows = (page: Page): Promise<boolean> =>
  page.evaluate<boolean>('document.documentElement.scrollWidth > document.documentElement.clientWidth')

/** Returns the name, id, label or text of the focused element: the first of these that it has. */
const focused = (page: Page): Promise<string> =>
  page.evaluate<string>(
    "(e => e.getAttribute('name') || e.id || e.getAttribute('aria-label') || e.textContent.trim())(document.activeElement)",
  )

/** Waits for the target, then presses Tab until the target has the focus. The target is a locator, or a name that `focused` returns. */
export async function tabTo(page: Page, target: string | Locator): Promise<void> {
  const isThere = async () =>
    typeof target === 'string' ? (await focused(page)) === target : (await target.and(page.locator(':focus')).count()) === 1
  // A part of the page that loads late may not be drawn yet, and Tab would skip its elements.
  await (typeof target === 'string' ? named(page, target) : target).filter({ visible: true }).first().waitFor()
  for (let i = 0; i < tabsMost; i++) {
    if (await isThere()) return
    await page.keyboard.press('Tab')
  }
  throw new Error(`The focus never came to ${target}`)
}

/** Returns the elements for which `focused` would return this name. */
function named(page: Page, name: string): Locator {
  const tags = ['a', 'button', 'input', 'select', 'summary', 'textarea'].map(tag => `self::${tag}`).join(' or ')
  const text = JSON.stringify(name)
  return page.locator(
    `xpath=//*[${tags} or @tabindex][@name=${text} or @id=${text} or @aria-label=${text} or normalize-space()=${text}]`,
  )
}

/** Maximum number of presses of Tab, above the number of tab stops of any page. */
const tabsMost = 90
