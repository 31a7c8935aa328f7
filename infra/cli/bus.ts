// `./watchkeeper bus keys`: the keys of a bus that is run apart from Watchkeeper (a NATS cluster), so that probers on other machines
// can join it. Writes files; changes nothing that runs.
import { mkdir, rename, rm } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import type { Command } from 'commander'
import { makeBusKeys, serverAuthorization } from '#shared/bus/bus-keys.ts'
import { createSystemClock } from '#shared/clock.ts'
import { randomId } from '#shared/ids.ts'
import { writeSecretFile } from '../embedded/data-folder.ts'
import { usageError } from '../embedded/start-error.ts'
import { printJson } from './printing.ts'

interface KeysOptions {
  json?: boolean
  serverFolder: string
}

export function addBusCommands(program: Command): void {
  program
    .command('bus')
    .description('a bus that is run apart from Watchkeeper')
    .command('keys')
    .description('make the keys that a NATS cluster needs so that probers on other machines can join')
    .argument('<folder>', 'a new folder for three files, readable by you alone')
    .option('--server-folder <folder>', 'where each nats-server keeps the accounts it is told of', '/data/accounts')
    .option('--json', 'answer JSON, for machines')
    .action(makeKeys)
}

async function makeKeys(named: string, options: KeysOptions): Promise<void> {
  const folder = resolve(named)
  const clock = createSystemClock()
  const keys = makeBusKeys(clock.now())
  clock.stop()
  const files = {
    server: 'nats-keys.conf',
    directory: 'bus-keys.json',
    services: 'house.creds',
  }
  // Whole or not at all: half a set of keys is no set.
  const draft = `${folder}.${randomId(6)}`
  try {
    await mkdir(draft, { mode: 0o700 })
    await writeSecretFile(join(draft, files.server), `${serverAuthorization(keys, options.serverFolder).join('\n')}\n`)
    await writeSecretFile(join(draft, files.directory), `${JSON.stringify(keys, null, 2)}\n`)
    await writeSecretFile(join(draft, files.services), keys.houseCredentials)
    await rename(draft, folder)
  } catch (error) {
    await rm(draft, { recursive: true, force: true })
    const { code } = error as NodeJS.ErrnoException
    throw usageError(`The folder ${folder} can't be made (${code}): name one that does not exist.`)
  }
  const paths = Object.fromEntries(Object.entries(files).map(([who, name]) => [who, join(folder, name)]))
  if (options.json) return printJson(paths)
  console.log(`For every nats-server, included in its configuration: ${paths['server']}`)
  console.log(`For every process but remote probers, as NATS_CREDENTIALS: ${paths['services']}`)
  console.log(`For the directory alone, as NATS_KEYS: ${paths['directory']}`)
}
