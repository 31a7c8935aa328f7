// `./watchkeeper move`: an installation goes from a data folder to MongoDB and NATS, or back. Prints no address with a password.
import type { Command } from 'commander'
import { createLogger } from '#shared/observability/logger.ts'
import { counted } from '#shared/text/counted.ts'
import { createSystemClock } from '#shared/time/clock.ts'
import { type Moved, type MoveOptions, moveInstallation } from '../../move/move.ts'
import { nameOf, placeOf } from '../../move/place.ts'
import { isRunning } from '../../move/source.ts'
import { readAllSettings } from '../../runtime/all-settings.ts'
import type { JsonOption } from '../noun.ts'
import { printJson, printTable, say, warn } from '../terminal/printing.ts'
import { startProgress } from '../terminal/progress.ts'

interface MoveCommandOptions extends JsonOption {
  from?: string[] | true
  to: string[] | true
  dryRun?: boolean
}

const places = 'a folder, or the addresses of MongoDB and NATS, each also as env:<VARIABLE> or file:<path> '

export function addMoveCommand(program: Command): void {
  program
    .command('move')
    .description('take the installation from its data folder to MongoDB and NATS, or back; may be interrupted and run again')
    .requiredOption('--to [place...]', `${places}(without a value: MONGODB_URL and NATS_URL)`)
    .option('--from [place...]', `${places}(default: DATA_DIR, or MONGODB_URL and NATS_URL if it goes to a folder)`)
    .option('--dry-run', 'say what would happen, and change nothing')
    .option('--json', 'print JSON, for scripts')
    .action(move)
}

async function move({ json, dryRun, ...options }: MoveCommandOptions): Promise<void> {
  // Only this user may read files of the data folder.
  process.umask(0o077)
  const settings = readAllSettings(process.env)
  const to = placeOf('--to', wordsOf(options.to), settings)
  const isBack = to.kind === 'folder'
  const from = placeOf('--from', options.from === undefined && !isBack ? [settings.DATA_DIR] : wordsOf(options.from), settings)
  const clock = createSystemClock()
  const progress = startProgress('the move begins …')
  const logger = createLogger(settings.LOG_LEVEL === 'info' ? 'error' : settings.LOG_LEVEL)
  const given: MoveOptions = { from, to, settings, clock, logger, tell: warn, onProgress: progress.say }
  try {
    if (dryRun) {
      const runs = await isRunning(from, given)
      if (json) printJson({ from: nameOf(from), to: nameOf(to), runs, dry_run: true })
      else for (const sentence of planOf(nameOf(from), nameOf(to), runs)) say(sentence)
      return
    }
    const moved = await moveInstallation(given)
    progress.end()
    if (json) printJson(shown(moved))
    else print(moved)
  } finally {
    progress.end()
    clock.stop()
  }
}

const wordsOf = (words: string[] | true | undefined): string[] => (words === true || words === undefined ? [] : words)

function planOf(from: string, to: string, runs: boolean): string[] {
  return [
    `The installation would go from ${from} to ${to}.`,
    ...(runs
      ? [
          'It runs: its store would be copied meanwhile. Then you would be asked to stop it, and it would stand still for the rest of the copy.',
        ]
      : ['It does not run, and would stand still until everything is copied.']),
    'Reports that wait are judged, every document is copied and read back, and the old side then refuses every start.',
    'Nothing was changed.',
  ]
}

function shown({ installationId, from, to, collections, stoodStillMs, unread, secrets }: Moved) {
  return {
    installation_id: installationId,
    from,
    to,
    collections: Object.fromEntries(collections.map(({ collection, count, digest }) => [collection, { count, digest }])),
    stood_still_ms: stoodStillMs,
    unread_partitions: unread,
    settings_file: secrets.file,
    advice: secrets.advice,
  }
}

function print({ installationId, from, to, collections, stoodStillMs, unread, secrets }: Moved): void {
  const filled = collections.filter(({ count }) => count > 0)
  if (filled.length > 0)
    printTable(
      ['documents', 'digest', 'collection'],
      filled.map(({ collection, count, digest }) => [String(count), digest, collection]),
    )
  say(
    stoodStillMs === null
      ? `The installation ${installationId} had moved from ${from} to ${to} before. Nothing is left to do.`
      : `The installation ${installationId} has moved from ${from} to ${to}. It stood still for ${Math.ceil(stoodStillMs / 1_000)} s so far.`,
  )
  if (unread > 0) warn(`On the bus, ${counted(unread, 'partition')} ended with something that is no report; it was left there.`)
  for (const sentence of secrets.advice) say(sentence)
  say(`The old side refuses every start from now on. Start Watchkeeper at ${to}.`)
}
