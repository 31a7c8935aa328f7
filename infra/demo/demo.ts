// `npm start -- --demo`: an installation in a folder of its own that is removed at the end, with something to watch and a receiver that prints
// its messages. Takes from the environment only the settings named here, so that it touches no other installation.
import { mkdtempSync, rmSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createDirectoryClient, createKeeperClient } from '#shared/bus/clients/clients.ts'
import { connectBus } from '#shared/bus/nats/nats.ts'
import { limits, second } from '#shared/limits/limits.ts'
import { createLogger } from '#shared/observability/logger.ts'
import { createSystemClock } from '#shared/time/clock.ts'
import { type AllSettings, readAllSettings } from '../runtime/all-settings.ts'
import { busCredentials } from '../runtime/bus/bus-credentials.ts'
import { readBusAddress } from '../runtime/bus/embedded-bus.ts'
import type { Installation } from '../runtime/run.ts'
import { StartError, startStep } from '../runtime/start-error.ts'
import { createDemoApi, furnish } from './furnish.ts'
import { type Message, startOutside, timeOfDay } from './outside.ts'
import { createWorld, jobEverySeconds, jobs } from './world.ts'

export interface Demo {
  settings: AllSettings
  /** Fills the running installation and begins the story. Returns an installation whose stop also ends the demo. Throws a StartError. */
  begin(installation: Installation, print: (line: string) => void): Promise<Installation>
}

/** Makes the folder of the demo; it is removed when the process ends, in whatever way it ends by itself. Throws a StartError. */
export function prepareDemo(environment: Record<string, string | undefined>): Demo {
  const kept = ['TOOLS_DIR', 'LOG_LEVEL', 'PORT', 'OPS_PORT'] as const
  const given = Object.fromEntries(kept.flatMap(name => (environment[name] ? [[name, environment[name]]] : [])))
  // Reads the given settings first: a wrong one leaves no folder behind.
  readAllSettings(given)
  const folder = makeFolder()
  process.once('exit', () => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }))
  const own = { DATA_DIR: folder, HOST: '127.0.0.1', AUTH_DEV: 'true' }
  const settings = readAllSettings({ LOG_LEVEL: 'error', OPS_PORT: '0', ...given, ...own })
  return { settings, begin: (installation, print) => begin(installation, settings, print) }
}

function makeFolder(): string {
  try {
    return mkdtempSync(join(tmpdir(), 'watchkeeper-demo-'))
  } catch (error) {
    throw new StartError(`No folder can be made in ${tmpdir()} (${(error as NodeJS.ErrnoException).code}): correct TMPDIR.`)
  }
}

async function begin(installation: Installation, settings: AllSettings, print: (line: string) => void): Promise<Installation> {
  const clock = createSystemClock()
  const world = createWorld(clock.monotonic)
  const undo: (() => unknown)[] = [installation.stop, clock.stop]
  const stop = async () => {
    for (let end = undo.pop(); end !== undefined; end = undo.pop()) await end()
  }
  try {
    const onMessage = (message: Message) => {
      world.hear(message)
      for (const line of linesOf(message)) print(line)
    }
    const outside = await startOutside({ behaviourOf: world.behaviourOf, onMessage })
    undo.push(outside.close)
    const bus = await connect(settings)
    const key = (await readFile(join(settings.DATA_DIR, 'first-key'), 'utf8')).trim()
    const clients = { directory: createDirectoryClient(bus, clock), keeper: createKeeperClient(bus, clock) }
    const report = await furnish({ api: createDemoApi(installation.url ?? '', key), ...clients, ...outside }).finally(() =>
      bus.close(),
    )
    undo.push(reportJobs(report, world.reportOf))
    for (const line of greeting(installation.url ?? '', outside.url)) print(line)
    return { url: installation.url, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

/** Lets the jobs report until the returned function is called. A report that fails is left out: the next one follows. */
function reportJobs(
  report: Awaited<ReturnType<typeof furnish>>,
  reportOf: ReturnType<typeof createWorld>['reportOf'],
): () => Promise<void> {
  let running: Promise<unknown> = Promise.resolve()
  const reportAll = async () => {
    for (const { key } of jobs) {
      const now = reportOf(key)
      if (now !== null) await report(key, now).catch(() => undefined)
    }
  }
  running = reportAll()
  const timer = setInterval(() => {
    running = running.then(reportAll)
  }, jobEverySeconds * second)
  return async () => {
    clearInterval(timer)
    await running
  }
}

function connect(settings: AllSettings) {
  return startStep(async () => {
    const address = await readBusAddress(settings.DATA_DIR)
    if (address === null) throw new StartError('The bus of the demo has ended.')
    const options = { name: 'watchkeeper demo', patienceMs: limits.demo.busMs, logger: createLogger('silent'), declare: false }
    return connectBus({ servers: address.url, ...busCredentials(address), ...options })
  })
}

const greeting = (url: string, messagesUrl: string): string[] => [
  'Watchkeeper runs here with six websites and two jobs. Nothing is kept: Ctrl-C ends and removes everything.',
  '',
  `  Watch it decide:   ${url}/`,
  `  Messages it sends: ${messagesUrl}/`,
  '',
  'The Shop goes down in half a minute and comes back, Search is slow, Checkout flaps (which lasts too',
  'briefly to notify anybody), and the invoice import fails, then falls silent.',
  'Each message to the receiver is printed here.',
]

const linesOf = ({ at, title, text }: Message): string[] => [
  '',
  `${timeOfDay(at)}  ${title}`,
  ...text.split('\n').map(line => `          ${line}`),
]
