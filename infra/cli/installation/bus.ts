// `./watchkeeper bus keys|certificate`: files that a bus needs to admit probers on other machines. Needs no running installation.
import { join, resolve } from 'node:path'
import type { Command } from 'commander'
import { makeBusKeys, serverAuthorization } from '#shared/bus/probers/bus-keys.ts'
import { createSystemClock } from '#shared/time/clock.ts'
import { makeBusCertificate } from '../../cluster/cluster-secrets.ts'
import { createSecretFolder } from '../../cluster/secret-folder.ts'
import { addNoun, type JsonOption } from '../noun.ts'
import { printJson } from '../terminal/printing.ts'

interface KeysOptions extends JsonOption {
  serverFolder: string
}

interface CertificateOptions extends JsonOption {
  host: string[]
}

export function addBusCommands(program: Command): void {
  const verb = addNoun(program, 'bus', 'keys and certificates of a bus')
  verb('keys', 'make the keys that a NATS cluster needs so that probers on other machines can join')
    .argument('<folder>', 'a new folder for three files, readable by you alone')
    .option('--server-folder <folder>', 'the folder in which each nats-server keeps its accounts', '/data/accounts')
    .action(makeKeys)
  verb('certificate', 'make a certificate for the embedded bus, signed by an authority of its own')
    .argument('<folder>', 'a new folder for three files, readable by you alone')
    .requiredOption('--host <name...>', 'names or addresses by which probers reach the bus')
    .action(makeCertificate)
}

async function makeKeys(named: string, options: KeysOptions): Promise<void> {
  const folder = resolve(named)
  const keys = makeBusKeys(now())
  const files = {
    server: 'nats-keys.conf',
    directory: 'bus-keys.json',
    services: 'house.creds',
  }
  const texts = {
    [files.server]: `${serverAuthorization(keys, options.serverFolder).join('\n')}\n`,
    [files.directory]: `${JSON.stringify(keys, null, 2)}\n`,
    [files.services]: keys.houseCredentials,
  }
  await createSecretFolder(folder, new Map(Object.entries(texts)))
  const paths = Object.fromEntries(Object.entries(files).map(([who, name]) => [who, join(folder, name)]))
  if (options.json) return printJson(paths)
  console.log(`For every nats-server, included in its configuration: ${paths['server']}`)
  console.log(`For every process but remote probers, as NATS_CREDENTIALS: ${paths['services']}`)
  console.log(`For the directory alone, as NATS_KEYS: ${paths['directory']}`)
}

async function makeCertificate(named: string, { host, json }: CertificateOptions): Promise<void> {
  const folder = resolve(named)
  await createSecretFolder(folder, makeBusCertificate(now(), host))
  const paths = { certificate: join(folder, 'bus.pem'), key: join(folder, 'bus.key'), authority: join(folder, 'ca.pem') }
  if (json) return printJson(paths)
  console.log(`For Watchkeeper, as NATS_TLS_CERT: ${paths.certificate}`)
  console.log(`For Watchkeeper, as NATS_TLS_KEY: ${paths.key}`)
  console.log(`For probers on other machines, as NATS_CA_FILE: ${paths.authority}`)
}

function now(): number {
  const clock = createSystemClock()
  const at = clock.now()
  clock.stop()
  return at
}
