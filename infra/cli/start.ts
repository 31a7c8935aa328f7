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
    .addHelpText('after', () => `${settingsHelp()}\n${exitHelp}`)
    .action(start)
}

/** Resolves when all services run; the process then lives until a signal ends it. Throws a StartError. */
async function start({ acceptLoss = false }: { acceptLoss?: boolean }): Promise<void> {
  const settings = readAllSettings(process.env)
  // Only this user may read files of the data folder.
  process.umask(0o077)
  const logger = createLogger(settings.LOG_LEVEL)
  endOnBrokenInvariants(logger)
  logWarnings(logger)
  let installation: Installation | null = null
  onEndingSignals({
    signals: ['SIGTERM', 'SIGINT'],
    first: signal => {
      if (installation === null) process.exit(exitCodes.done)
      logger.info({ signal }, 'stopping')
      void stopInTime(installation, logger)
    },
    again: () => process.exit(exitCodes.failed),
  })
  const print = (line: string) => console.log(line)
  installation = await runInstallation({ settings, version: productVersion, logger, acceptLoss, print })
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
