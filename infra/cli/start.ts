// `./watchkeeper start`: runs the installation until a signal ends it. A start that fails ends with one sentence and no stack.
import type { Command } from 'commander'
import { limits } from '#shared/limits/limits.ts'
import { createLogger, type Logger } from '#shared/observability/logger.ts'
import { readAllSettings } from '../runtime/all-settings.ts'
import { type Installation, runInstallation } from '../runtime/run.ts'
import { exitCodes } from '../runtime/start-error.ts'
import { productVersion } from './product-version.ts'
import { onEndingSignals } from './terminal/ending-signals.ts'
import { exitHelp } from './terminal/exit-help.ts'
import { settingsHelp } from './terminal/settings-help.ts'

export function addStartCommand(program: Command): void {
  program
    .command('start')
    .description('run the services until a signal ends them')
    .option('--accept-loss', 'start also on a store that has lost data; what is lost stays lost')
    .option('--demo', 'run a throw-away installation that has something to watch; Ctrl-C ends and removes it')
    .addHelpText('after', () => `${settingsHelp()}\n${exitHelp}`)
    .action(start)
}

/** Resolves when all services run; the process then lives until a signal ends it. Throws a StartError. */
async function start({ acceptLoss = false, demo: isDemo = false }: { acceptLoss?: boolean; demo?: boolean }): Promise<void> {
  // Only this user may read files of the data folder.
  process.umask(0o077)
  const demo = isDemo ? (await import('../demo/demo.ts')).prepareDemo(process.env) : null
  const settings = demo?.settings ?? readAllSettings(process.env)
  const logger = createLogger(settings.LOG_LEVEL)
  endOnBrokenInvariants(logger)
  logWarnings(logger)
  let installation: Installation | null = null
  let isEnding = false
  onEndingSignals({
    signals: ['SIGTERM', 'SIGINT'],
    first: signal => {
      isEnding = true
      if (installation === null && demo === null) process.exit(exitCodes.done)
      if (installation === null) return
      logger.info({ signal }, 'stopping')
      void stopInTime(installation, logger)
    },
    again: () => process.exit(exitCodes.failed),
  })
  const print = (line: string) => console.log(line)
  if (demo !== null) print('A whole installation starts, in a folder that is removed at the end …')
  const running = await runInstallation({ settings, version: productVersion, logger, acceptLoss, print, greets: demo === null })
  // A demo that is interrupted while it starts ends here, so that its nats-server ends before its folder is removed.
  installation = demo === null || isEnding ? running : await demo.begin(running, print)
  if (isEnding) await stopInTime(installation, logger)
}

/** Ends the process. The exit code is 0 after a clean stop, and 1 if the stop takes longer than the grace period. */
async function stopInTime(installation: Installation, logger: Logger): Promise<void> {
  const late = setTimeout(() => {
    logger.error({ graceMs: limits.start.graceMs }, 'not everything ended in time')
    process.exit(exitCodes.failed)
  }, limits.start.graceMs)
  await installation.stop()
  clearTimeout(late)
  logger.info('stopped')
  process.exit(exitCodes.done)
}

/** An uncaught error is a broken invariant: a new start is safer than going on. */
function endOnBrokenInvariants(logger: Logger): void {
  const end = (error: unknown) => {
    logger.fatal({ err: error }, 'broken invariant ends the process')
    process.exit(exitCodes.failed)
  }
  process.on('uncaughtException', end)
  process.on('unhandledRejection', end)
}

/** Writes warnings of Node and of libraries as log lines. Warnings about experimental features are dropped (watchkeeper.js). */
function logWarnings(logger: Logger): void {
  process.removeAllListeners('warning')
  process.on('warning', warning => {
    if (warning.name !== 'ExperimentalWarning') logger.warn({ err: warning }, 'runtime warned')
  })
}
