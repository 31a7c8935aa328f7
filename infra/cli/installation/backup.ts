// `./watchkeeper backup` and `restore`: all lasting data of an installation, as one file.
import { constants, copyFile, link, open, rm, stat } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import type { Command } from 'commander'
import { askForBackup } from '#shared/bus/clients/clients.ts'
import type { BackupMade } from '#shared/contracts/backup.ts'
import { AppError } from '#shared/errors.ts'
import { createLogger } from '#shared/observability/logger.ts'
import { createSystemClock } from '#shared/time/clock.ts'
import { databaseOf, nameOf, placeOf } from '../../move/place.ts'
import type { SideOptions } from '../../move/side.ts'
import { type AllSettings, readAllSettings } from '../../runtime/all-settings.ts'
import { restoreBackup } from '../../runtime/data/restore.ts'
import { exitCodes, notFoundError, StartError, usageError } from '../../runtime/start-error.ts'
import type { JsonOption } from '../noun.ts'
import { instant, printJson, say, warn } from '../terminal/printing.ts'
import { startProgress } from '../terminal/progress.ts'
import { withBus } from './running-installation.ts'

interface RestoreOptions extends JsonOption {
  dataDir?: string
  to?: string | true
}

type Made = Pick<BackupMade, 'bytes' | 'installationId' | 'at'>

const json = ['--json', 'print JSON, for scripts'] as const

export function addBackupCommand(program: Command): void {
  program
    .command('backup')
    .description('write everything that must be kept of the running installation to one file, for you alone to read')
    .argument('<file>', 'a file that does not exist yet, on the machine of the installation')
    .option(...json)
    .action(backUp)
}

export function addRestoreCommand(program: Command): void {
  program
    .command('restore')
    .description('make a data folder, or the database of a cluster, of a backup; then start on it')
    .argument('<file>', 'as `backup` wrote it')
    .option('--data-dir <folder>', 'an empty folder, or one that does not exist (default: DATA_DIR)')
    .option('--to [address]', 'an empty database of MongoDB, also env:<VARIABLE> or file:<path> (without a value: MONGODB_URL)')
    .option(...json)
    .action(restore)
}

async function backUp(named: string, options: JsonOption): Promise<void> {
  const file = resolve(named)
  await requireNew(file)
  const settings = readAllSettings(process.env)
  const { bytes, installationId, at } =
    settings.MONGODB_URL === '' ? await backUpRunning(file) : await backUpMongodb(file, settings)
  if (options.json) return printJson({ file, bytes, installation_id: installationId, at: instant(at) })
  say(`The backup of the installation ${installationId} of ${instant(at)} is ${file}, ${bytes} bytes.`)
}

async function backUpRunning(file: string): Promise<Made> {
  const { path, ...made } = await withBus(bus => askForBackup(bus).catch(explain))
  await move(path, file)
  return made
}

/** Reads the database from here, so that no service needs a disk for the backup. */
async function backUpMongodb(file: string, settings: AllSettings): Promise<Made> {
  // Only this user may read the backup.
  process.umask(0o077)
  const { backUpCluster } = await import('../../move/back-up-cluster.ts')
  const place = placeOf('backup', [], settings)
  if (place.kind === 'folder') throw new Error('Invariant broken: MONGODB_URL names a folder')
  const { installationId, at } = await withMoveOptions(`${file} is written …`, settings, options =>
    backUpCluster({ ...options, place, file }),
  )
  return { installationId, at, bytes: (await stat(file)).size }
}

async function withMoveOptions<T>(
  first: string,
  settings: AllSettings,
  run: (options: SideOptions & { onProgress(text: string): void }) => Promise<T>,
): Promise<T> {
  const progress = startProgress(first)
  const clock = createSystemClock()
  try {
    return await run({ settings, clock, logger: createLogger('error'), tell: warn, onProgress: progress.say })
  } finally {
    clock.stop()
    progress.end()
  }
}

async function restoreDatabase(named: string, { to, json }: RestoreOptions, settings: AllSettings): Promise<void> {
  const { restoreToCluster } = await import('../../move/restore-to-cluster.ts')
  const place = databaseOf('--to', typeof to === 'string' ? to : null, settings)
  const { installationId, at } = await withMoveOptions(`${named} is restored …`, settings, options =>
    restoreToCluster({ ...options, place, file: resolve(named) }),
  )
  const name = nameOf(place)
  if (json) return printJson({ database: name, installation_id: installationId, at: instant(at) })
  say(
    `The installation ${installationId} of ${instant(at)} is in ${name}. Stop the one that it was copied from before you start it.`,
  )
  say(`./watchkeeper cluster secrets <folder> --of ${named} makes the secrets of a cluster with those of this installation.`)
}

async function restore(named: string, options: RestoreOptions): Promise<void> {
  // Only this user may read files of the data folder.
  process.umask(0o077)
  const settings = readAllSettings(process.env)
  if (options.to !== undefined && options.dataDir !== undefined) throw usageError('Name --data-dir or --to, not both.')
  const folder = options.dataDir ?? settings.DATA_DIR
  if ((await stat(named).catch(() => null)) === null) throw notFoundError(`There is no file ${named}.`)
  if (options.to !== undefined) return await restoreDatabase(named, options, settings)
  const progress = startProgress(`${named} is restored …`)
  const { path, installationId, at } = await restoreBackup(resolve(named), folder).finally(progress.end)
  if (options.json) return printJson({ data_dir: path, installation_id: installationId, at: instant(at) })
  say(
    `The installation ${installationId} of ${instant(at)} is in ${path}. Stop the one that it was copied from before you start it.`,
  )
}

function explain(error: unknown): never {
  if (!(error instanceof AppError)) throw error
  if (error.code === 'busy') throw new StartError(`${error.message}: wait for its end.`, exitCodes.refused)
  if (error.code !== 'not_found') throw error
  const advice = 'set MONGODB_URL to the database that it has instead'
  throw new StartError(`Nothing that runs here has an embedded store: ${advice}.`, exitCodes.refused)
}

async function requireNew(file: string): Promise<void> {
  if (await stat(file).catch(() => null)) throw usageError(`${file} exists: name a file that does not.`)
  if (!(await stat(dirname(file)).catch(() => null))?.isDirectory())
    throw usageError(`The folder ${dirname(file)} does not exist.`)
}

/** Moves a file; copies it if `to` is on another file system. Never replaces an existing file. */
async function move(from: string, to: string): Promise<void> {
  if (!(await stat(from).catch(() => null)))
    throw new StartError(`The backup is ${from} on the machine of the installation: run this command there, or fetch that file.`)
  try {
    await link(from, to).catch(() => copy(from, to))
  } catch (error) {
    throw new StartError(`The backup can't be put there (${(error as NodeJS.ErrnoException).code}); it is ${from}.`)
  }
  await rm(from, { force: true })
}

async function copy(from: string, to: string): Promise<void> {
  await copyFile(from, to, constants.COPYFILE_EXCL)
  try {
    const file = await open(to, 'r+')
    await file.chmod(0o600)
    await file.sync()
    await file.close()
  } catch (error) {
    await rm(to, { force: true })
    throw error
  }
}
