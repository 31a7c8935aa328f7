// Measures the dashboard's list of 10,000 monitors in a real browser: time until the first rows are shown, on a fast and on a slow machine
// and network. It is compared with the time of an empty page of the same gateway. Also measures the time from a change at the keeper to its
// display.
import type { Browser, BrowserContext, CDPSession, Page } from 'playwright-core'
import { subjects } from '#shared/bus/subjects.ts'
import { startBrowser } from '../../support/clients/find-browser.ts'
import { homeOf, seed } from '../fleets/seed.ts'
import type { Connection } from '../run/connection.ts'
import { type PartResult, quantity, type Run } from '../run/run-context.ts'
import { type SignedIn, signInMembers } from '../run/session-client.ts'
import { median, type Summary, summarize } from '../run/statistics.ts'
import type { System } from '../run/system.ts'

/** Budgets, ms: first rows on this machine, first rows on the slow one, display of a change. */
const budget = { fastMs: 600, slowMs: 1_500, changeMs: 300 }
/** Interval of checks. It is so long that checks use no CPU during the measurement. */
const intervalSeconds = 3_600
/** A page of the gateway without data and script. */
const emptyPage = '/no/such/page'
const waitMs = 20_000

interface Visit {
  firstPaintMs: number
  rowsMs: number
  bytes: number
}

const machines = {
  'this machine': null,
  'CPU 4 times slower, 1.6 Mb/s, 150 ms': {
    cpu: 4,
    network: { offline: false, latency: 150, downloadThroughput: 1.6e6 / 8, uploadThroughput: 0.75e6 / 8 },
  },
} as const
type MachineName = keyof typeof machines
const names = Object.keys(machines) as MachineName[]

interface Found {
  list: Record<MachineName, Visit>
  empty: Record<MachineName, Visit>
  change: Summary
}

export async function dashboard(run: Run): Promise<PartResult> {
  const monitors = run.options.quick ? 1_000 : 10_000
  const browser = await startBrowser()
  try {
    const { list, empty, change } = await run.withSystem(system => measure(run, system, browser, monitors))
    const among = `${monitors.toLocaleString('en')} monitors`
    const budgets: Record<MachineName, number> = {
      'this machine': budget.fastMs,
      'CPU 4 times slower, 1.6 Mb/s, 150 ms': budget.slowMs,
    }
    const painted = names.map(name =>
      quantity('dashboard', `list of ${among}, first rows painted, ${name}`, 'ms', list[name].rowsMs, {
        better: 'lower',
        budget: budgets[name],
      }),
    )
    const seen = quantity(
      'dashboard',
      'a change, from the news of the keeper until it is in the page, median',
      'ms',
      change.p50,
      {
        better: 'lower',
        budget: budget.changeMs,
      },
    )
    const rows = names.flatMap(machine =>
      Object.entries({ list: list[machine], 'empty page': empty[machine] }).map(([page, visit]) => ({
        page,
        machine,
        'first paint ms': Math.round(visit.firstPaintMs),
        'rows ms': page === 'list' ? Math.round(visit.rowsMs) : '',
        bytes: visit.bytes,
      })),
    )
    const changes = [{ changes: change.count, 'p50 ms': change.p50, 'p95 ms': change.p95, 'max ms': change.max }]
    return {
      quantities: [...painted, seen],
      details: [
        { title: 'First paint, medians of visits without a cache', rows },
        { title: 'A change until it is in the page', rows: changes },
      ],
    }
  } finally {
    await browser.close()
  }
}

async function measure(run: Run, system: System, browser: Browser, monitors: number): Promise<Found> {
  await system.start()
  const connection = await system.connect()
  try {
    const { workspaceId, locationId } = await homeOf(connection, system.url, await system.key())
    run.say(`dashboard: ${monitors} monitors`)
    const seeding = {
      from: 0,
      to: monitors,
      intervalSeconds,
      workspaceId,
      locationIds: [locationId],
      urlOf: run.target.urlOf,
      hold: 0,
    }
    const { subjectIds } = await seed(connection, seeding)
    const [person] = await signInMembers(connection, system.url, workspaceId, 1, 'editor')
    if (person === undefined) throw new Error('Invariant broken: nobody signed in')
    const visitor: Visitor = { browser, url: system.url, person }
    const visits = run.options.quick ? 2 : 5
    // One visit before the measurement builds the roster and the bundle.
    await medianVisit(visitor, '/', 'this machine', 1)
    run.say('dashboard: first paint')
    const list = {} as Record<MachineName, Visit>
    const empty = {} as Record<MachineName, Visit>
    for (const name of names) {
      empty[name] = await medianVisit(visitor, emptyPage, name, visits)
      list[name] = await medianVisit(visitor, '/', name, visits)
    }
    run.say('dashboard: changes')
    const last = monitors - 1
    const changed = { connection, workspaceId, subjectId: subjectIds[last] as string, name: `m${last}` }
    return { list, empty, change: await changes(visitor, changed, run.options.quick ? 6 : 40) }
  } finally {
    await connection.close()
  }
}

interface Visitor {
  browser: Browser
  url: string
  person: SignedIn
}

async function contextOf({ browser, url, person }: Visitor): Promise<BrowserContext> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 } })
  context.setDefaultTimeout(waitMs)
  const [name = '', value = ''] = person.cookie.split('=', 2)
  await context.addCookies([{ name, value, url }])
  return context
}

/** Returns the median of each figure over visits with an empty cache. */
async function medianVisit(visitor: Visitor, path: string, machine: MachineName, count: number): Promise<Visit> {
  const visits: Visit[] = []
  for (let i = 0; i < count; i++) visits.push(await visit(visitor, path, machine))
  const of = (figure: keyof Visit) => median(visits.map(one => one[figure]))
  return { firstPaintMs: of('firstPaintMs'), rowsMs: of('rowsMs'), bytes: of('bytes') }
}

/**
 * Script in the page: ms since the start of the navigation, by the browser's clock. The rows count as shown after the browser has drawn the
 * frame that contains them.
 */
const paintTimes = `new Promise(resolve => {
  const list = location.pathname === '/'
  const look = () => {
    const paint = performance.getEntriesByName('first-contentful-paint')[0]
    if (paint === undefined || (list && document.querySelector('.monitors .row a') === null)) return requestAnimationFrame(look)
    // The next frame begins after the one that shows the rows was drawn.
    requestAnimationFrame(() => requestAnimationFrame(() => resolve({ firstPaintMs: paint.startTime, rowsMs: performance.now() })))
  }
  look()
})`

async function visit(visitor: Visitor, path: string, machine: MachineName): Promise<Visit> {
  const context = await contextOf(visitor)
  try {
    const page = await context.newPage()
    const cdp = await context.newCDPSession(page)
    await cdp.send('Network.enable')
    let bytes = 0
    cdp.on('Network.loadingFinished', ({ encodedDataLength }) => {
      bytes += encodedDataLength
    })
    await slowDown(cdp, machine)
    await page.goto(visitor.url + path, { waitUntil: 'commit' })
    return { ...(await page.evaluate<Omit<Visit, 'bytes'>>(paintTimes)), bytes }
  } finally {
    await context.close()
  }
}

async function slowDown(cdp: CDPSession, machine: MachineName): Promise<void> {
  const slow = machines[machine]
  if (slow === null) return
  await cdp.send('Network.emulateNetworkConditions', slow.network)
  await cdp.send('Emulation.setCPUThrottlingRate', { rate: slow.cpu })
}

interface Changed {
  connection: Connection
  workspaceId: string
  subjectId: string
  name: string
}

/**
 * Lets a monitor fail and recover alternately while a page shows its row. Returns the time from the message on the bus to the word in the
 * page, ms.
 */
async function changes(visitor: Visitor, { connection, workspaceId, subjectId, name }: Changed, count: number): Promise<Summary> {
  const saidAt: number[] = []
  const subscription = await connection.bus.subscribe(subjects.state(workspaceId, subjectId), () => void saidAt.push(Date.now()))
  const context = await contextOf(visitor)
  try {
    const page = await context.newPage()
    await page.goto(`${visitor.url}/?q=${name}`)
    await page.locator('[data-link=live]').waitFor()
    const signal = await signalOf(page, workspaceId, subjectId)
    const delays: number[] = []
    for (let i = 0; i < count; i++) {
      const [state, word] = i % 2 === 0 ? ['problem', 'Down'] : ['ok', 'Up']
      const shown = page.evaluate<number>(rowSays(word as string))
      saidAt.length = 0
      await report(page, workspaceId, subjectId, { signal, state })
      const at = await shown
      if (saidAt[0] !== undefined) delays.push(at - saidAt[0])
    }
    return summarize(delays)
  } finally {
    await subscription.close()
    await context.close()
  }
}

/** Resolves with the instant at which the first row shows the word. */
const rowSays = (word: string): string => `new Promise((resolve, reject) => {
  setTimeout(() => reject(new Error('The row never said ${word}.')), ${waitMs})
  const says = () => document.querySelector('.monitors .row .state')?.textContent.includes('${word}')
  const look = () => says() && resolve(Date.now())
  const watcher = new MutationObserver(look)
  watcher.observe(document.body, { subtree: true, childList: true, characterData: true })
  look()
})`

const resourcePath = (workspaceId: string, subjectId: string) => `/api/v3/workspaces/${workspaceId}/resources/${subjectId}`

async function signalOf(page: Page, workspaceId: string, subjectId: string): Promise<string> {
  const path = resourcePath(workspaceId, subjectId)
  const found = await page.evaluate<{ result: { signals: { key: string }[] } }>(`fetch('${path}').then(it => it.json())`)
  const [first] = found.result.signals
  if (first === undefined) throw new Error('Invariant broken: a website monitor without a signal')
  return first.key
}

async function report(page: Page, workspaceId: string, subjectId: string, body: object): Promise<void> {
  const path = `${resourcePath(workspaceId, subjectId)}/observations`
  const init = `{ method: 'POST', headers: { 'content-type': 'application/json' }, body: '${JSON.stringify(body)}' }`
  const status = await page.evaluate<number>(`fetch('${path}', ${init}).then(it => it.status)`)
  if (status !== 202) throw new Error(`An Observation was answered with ${status}.`)
}
