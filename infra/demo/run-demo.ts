// One demo from start to end: starts a real installation in this process with a new data folder, starts the outside world, and plays the
// scenario. Removes everything at the end, also after an error. Takes only two settings from the environment, so that the demo touches no
// other installation.

import { rmSync } from 'node:fs'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createDirectoryClient, createKeeperClient } from '#shared/bus/clients/clients.ts'
import { connectBus } from '#shared/bus/nats/nats.ts'
import type { Bus } from '#shared/bus/port.ts'
import { AppError } from '#shared/errors.ts'
import { limits, second } from '#shared/limits/limits.ts'
import { createLogger } from '#shared/observability/logger.ts'
import type { Clock } from '#shared/time/clock.ts'
import { formatDuration } from '#shared/time/durations.ts'
import { type AllSettings, readAllSettings } from '../runtime/all-settings.ts'
import { busCredentials } from '../runtime/bus/bus-credentials.ts'
import { readBusAddress } from '../runtime/bus/embedded-bus.ts'
import { obtainNatsServer } from '../runtime/bus/obtain-nats-server.ts'
import { type Installation, runInstallation } from '../runtime/run.ts'
import { StartError, startStep } from '../runtime/start-error.ts'
import { type Message, startOutside } from './outside.ts'
import { createRest, play } from './play.ts'
import { plain, type Step, shortDuration, stepsOf } from './steps.ts'
import { createTimeline, isInState, TimedOut, type Timeline, watchInstallation } from './timeline.ts'

export interface DemoOptions {
  environment: Record<string, string | undefined>
  version: string
  clock: Clock
  show(step: Step): void
  /** Signal that aborts when the person interrupts the demo. */
  interrupted: AbortSignal
  /** Time for all steps of the demo, ms. Tests set a shorter time. */
  patienceMs?: number
}

/**
 * Resolves when everything has ended and is removed, after the last step or an interruption. Throws a StartError if the installation cannot
 * start or an expected step does not come in time.
 */
export async function runDemo(options: DemoOptions): Promise<void> {
  const { environment, show, interrupted } = options
  const patienceMs = options.patienceMs ?? limits.demo.patienceMs
  const given = readAllSettings(pick(environment))
  show(plain('start', 'A whole installation starts in this process; nothing is kept.'))
  // The time of the demo starts only after the download of a nats-server, because the download may take longer than the demo.
  const log = (line: string) => show(plain('start', line))
  await startStep(() => obtainNatsServer({ toolsFolder: given.TOOLS_DIR, log }))
  const patience = AbortSignal.timeout(patienceMs)
  const signal = AbortSignal.any([interrupted, patience])
  const folder = await makeFolder()
  // Removes the folder also if a second Ctrl-C ends the process at once.
  const removeAtExit = () => rmSync(folder, { recursive: true, force: true })
  process.once('exit', removeAtExit)
  try {
    await runOn(options, readAllSettings({ ...pick(environment), ...settingsOf(folder) }), signal)
  } catch (error) {
    if (interrupted.aborted) return show(plain('end', 'Interrupted: everything has ended, nothing is kept.'))
    throw explained(error, patienceMs)
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 3 })
    process.off('exit', removeAtExit)
  }
}

function explained(error: unknown, patienceMs: number): unknown {
  const advice = 'LOG_LEVEL=info npm run demo shows more'
  if (error instanceof AppError) return new StartError(`${error.message} (${error.details}): ${advice}.`)
  if (!(error instanceof TimedOut)) return error
  return new StartError(`The demo took ${shortDuration(patienceMs)} and still waits for ${error.message}: ${advice}.`)
}

async function runOn(options: DemoOptions, settings: AllSettings, signal: AbortSignal): Promise<void> {
  const { clock, show, version } = options
  const undo: (() => Promise<unknown>)[] = []
  let over = false
  try {
    const logger = createLogger(settings.LOG_LEVEL)
    const installation = await runInstallation({ settings, version, logger, acceptLoss: false, print: () => undefined })
    undo.push(installation.stop)
    options.interrupted.throwIfAborted()
    show(readyStep(installation, settings))
    const timeline = createTimeline(signal, happening => {
      // After the last step, no more events are shown.
      if (!over) for (const step of stepsOf(happening)) show(step)
    })
    const outside = await startOutside(message => noteMessage(timeline, message, clock.now()))
    undo.push(outside.close)
    const bus = await connect(settings)
    undo.push(() => bus.close())
    await watchInstallation(bus, clock.now, timeline)
    const key = (await readFile(join(settings.DATA_DIR, 'first-key'), 'utf8')).trim()
    const rest = createRest(installation.url ?? '', key, signal)
    const directory = createDirectoryClient(bus, clock)
    const keeper = createKeeperClient(bus, clock)
    await play({ rest, directory, keeper, outside, timeline, location: settings.LOCATION, show })
  } finally {
    over = true
    for (const run of undo.reverse()) await run()
  }
}

/**
 * Adds a message to the timeline. If the message arrived before the transition that it reports, adds the message after this transition.
 * `at`: instant at which the message arrived, ms.
 */
function noteMessage(timeline: Timeline, message: Message, at: number): void {
  const state = isInState(message.transition === 'closed' ? 'closed' : 'problem')
  timeline.until('the transition of a message', state).then(
    about => timeline.note({ kind: 'message', at, message, about }),
    // Ignores this error, which means that the demo ended before the transition. The scenario waits for the message too, and reports the
    // error.
    () => undefined,
  )
}

async function connect(settings: AllSettings): Promise<Bus> {
  const address = await readBusAddress(settings.DATA_DIR)
  if (address === null) throw new StartError('The bus of the demo has ended.')
  const logger = createLogger('silent')
  const patienceMs = limits.start.commandMs
  return startStep(() =>
    connectBus({
      servers: address.url,
      ...busCredentials(address),
      name: 'watchkeeper demo',
      patienceMs,
      logger,
      declare: false,
    }),
  )
}

async function makeFolder(): Promise<string> {
  try {
    return await mkdtemp(join(tmpdir(), 'watchkeeper-demo-'))
  } catch (error) {
    throw new StartError(`No folder can be made in ${tmpdir()} (${(error as NodeJS.ErrnoException).code}): correct TMPDIR.`)
  }
}

/**
 * Returns the only two settings that the demo takes from the environment. The demo must never use the bus, the store or the port of another
 * installation.
 */
const pick = (environment: Record<string, string | undefined>) => ({
  TOOLS_DIR: environment['TOOLS_DIR'],
  LOG_LEVEL: environment['LOG_LEVEL'] || 'error',
})

const settingsOf = (folder: string) => ({
  DATA_DIR: folder,
  PORT: '0',
  OPS_PORT: '0',
  // Links in messages use the address of `npm start`. The demo's own port is not known yet, and it is closed before a person follows a
  // link.
  PUBLIC_URL: 'http://localhost:2517',
  WEBSITE_CONFIRM_AFTER: formatDuration(limits.demo.holdMs),
  WEBSITE_CLOSE_AFTER: formatDuration(limits.demo.holdMs),
})

function readyStep({ url }: Installation, settings: AllSettings): Step {
  const services = settings.SERVICES.join(', ')
  const held = limits.demo.holdMs / second
  return {
    name: 'ready',
    tone: 'plain',
    lines: [`Everything runs, at ${url}:`, `${services}.`, `Both holds are ${held} s here; by default they are two minutes.`],
    data: { url, services: settings.SERVICES, hold_ms: limits.demo.holdMs },
  }
}
