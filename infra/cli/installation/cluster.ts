// `./watchkeeper cluster secrets|finish-upgrade`. `secrets` makes all secrets and certificates that infra/compose and infra/kubernetes
// mount, and needs no running installation.
import { join, resolve } from 'node:path'
import type { Command } from 'commander'
import { createSystemClock } from '#shared/time/clock.ts'
import { authorityKeyFile, makeClusterSecrets, type PresentSecrets, renewCertificates } from '../../cluster/cluster-secrets.ts'
import { createSecretFolder, readSecretFolder, replaceSecretFiles } from '../../cluster/secret-folder.ts'
import { readAllSettings } from '../../runtime/all-settings.ts'
import { usageError } from '../../runtime/start-error.ts'
import { addNoun, type JsonOption } from '../noun.ts'
import { printJson } from '../terminal/printing.ts'
import { finishUpgrade } from './finish-upgrade.ts'

interface SecretsOptions extends JsonOption {
  host: string[]
  renew?: boolean
  of?: string
}

export function addClusterCommands(program: Command): void {
  const verb = addNoun(program, 'cluster', 'a cluster in compose or Kubernetes')
  verb('secrets', 'make the passwords, keys and certificates of a cluster')
    .argument('<folder>', 'a new folder, which you alone may enter')
    .option('--host <name...>', 'names or addresses by which probers on other machines reach the bus', [])
    .option('--renew', 'make new certificates of the servers in the folder of a cluster, and nothing else')
    .option('--of <backup>', 'a backup of an installation that shall go on in the cluster: its keys and its salt are kept')
    .action(makeSecrets)
  verb(
    'finish-upgrade',
    'after every process was replaced by this version: write its forms; the version before can not start again',
  ).action(finishUpgrade)
}

async function makeSecrets(named: string, { host, renew, of, json }: SecretsOptions): Promise<void> {
  const folder = resolve(named)
  if (renew && of !== undefined) throw usageError('Name --renew or --of, not both.')
  const clock = createSystemClock()
  const options = { at: clock.now(), busHosts: host }
  clock.stop()
  if (renew) await renewSecrets(folder, options)
  else await createSecretFolder(folder, makeClusterSecrets(options, of === undefined ? {} : await presentIn(of)))
  const authorityKey = join(folder, authorityKeyFile)
  if (json) return printJson({ folder, renewed: renew === true, authority_key: authorityKey })
  console.log(renew ? `The certificates in ${folder} are new.` : `The secrets of a cluster are in ${folder}.`)
  console.log(`No container needs ${authorityKey}, which signs certificates: keep it apart, and put it back to renew them.`)
}

async function presentIn(backup: string): Promise<PresentSecrets> {
  const { secretsOfBackup } = await import('../../move/secrets-of-backup.ts')
  return await secretsOfBackup(resolve(backup), readAllSettings(process.env))
}

async function renewSecrets(folder: string, options: Parameters<typeof renewCertificates>[1]): Promise<void> {
  const files = await readSecretFolder(folder)
  if (!files.has(authorityKeyFile) || !files.has('nats/server.pem')) {
    throw usageError(`The folder ${folder} is not that of a cluster, or ${authorityKeyFile} is not in it: put it back there.`)
  }
  await replaceSecretFiles(folder, renewCertificates(files, options))
}
