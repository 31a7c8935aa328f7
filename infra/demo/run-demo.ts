// One demo from start to end: a real installation in this process on its own folder, the outside world and the scenario. Removes everything at
// the end, also after an error. Touches no other installation: it takes only two settings from the environment.

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
  /** Aborts when the person interrupts the demo. */
  interrupted: AbortSignal
  /** Time for all steps, ms; tests shorten it. */
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
  // The download of a nats-server may take longer than the demo, so the time of the demo starts afterwards.
  const log = (line: string) => show(plain('start', line))
  await startStep(() => obtainNatsServer({ toolsFolder: given.TOOLS_DIR, log }))
  const patience = AbortSignal.timeout(patienceMs)
  const signal = AbortSignal.any([interrupted, patience])
  const folder = await makeFolder()
  // Runs also if a second Ctrl-C ends the process at once.
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
      // Shows no events after the last step.
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

/** Adds a message to the timeline after its transition, even if the message arrived first. `at`: instant of its arrival, ms. */
function noteMessage(timeline: Timeline, message: Message, at: number): void {
  const state = isInState(message.transition === 'closed' ? 'closed' : 'problem')
  timeline.until('the transition of a message', state).then(
    about => timeline.note({ kind: 'message', at, message, about }),
    // The demo has ended; the wait for the message reports this.
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

/** Returns the only settings that the demo takes from outside. It must never use the bus, the store or the port of another installation. */
const pick = (environment: Record<string, string | undefined>) => ({
  TOOLS_DIR: environment['TOOLS_DIR'],
  LOG_LEVEL: environment['LOG_LEVEL'] || 'error',
})

const settingsOf = (folder: string) => ({
  DATA_DIR: folder,
  PORT: '0',
  OPS_PORT: '0',
  // The address of `npm start`: the demo's own port is unknown before it listens, and closed before a person follows a link.
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
