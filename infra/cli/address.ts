// `./watchkeeper address create|list|delete`: Observation addresses of the running installation. A token is printed once, when its address is
// made, and is known to nobody else: the installation gets its hash.
import type { Command } from 'commander'
import { makeAddressToken } from '#shared/address-token.ts'
import { hashToken } from '#shared/api-token.ts'
import type { AddressView } from '#shared/contracts/ask-addresses.ts'
import { idLength, randomId } from '#shared/ids.ts'
import { limits } from '#shared/limits.ts'
import { readAllSettings } from '../embedded/all-settings.ts'
import { usageError } from '../embedded/start-error.ts'
import { addressOf, workspaceOf } from './look-up.ts'
import { addNoun, inWorkspace, type JsonOption } from './noun.ts'
import { day, instant, printJson, printMade, printTable, say } from './printing.ts'
import { withInstallation } from './running-installation.ts'

interface InWorkspace extends JsonOption {
  workspace?: string
}

interface AddressOptions extends InWorkspace {
  template?: string
  secondFactor?: boolean
  description?: string
}

export function addAddressCommands(program: Command): void {
  const verb = addNoun(program, 'address', 'Observation addresses, to which systems report without a key')
  verb('create', 'make an address; its URL is alone on standard output, and never shown again')
    .option(...inWorkspace)
    .option('--template <key>', 'the one Template whose Resources it reports on (default: any of the workspace)')
    .option('--second-factor', 'a report also needs a full key of an editor or owner, in the header X-Observation-Key')
    .option('--description <text>', 'what it is for')
    .action(createAddress)
  verb('list', 'the addresses of a workspace, without their tokens')
    .option(...inWorkspace)
    .action(listAddresses)
  verb('delete', 'delete an address; it takes no report any more')
    .argument('<address>', 'its id or its description')
    .option(...inWorkspace)
    .action(deleteAddress)
}

async function createAddress(options: AddressOptions): Promise<void> {
  const { template = null, secondFactor = false, description = '' } = options
  if ([...description].length > limits.key.descriptionCharacters) {
    throw usageError(`--description may have ${limits.key.descriptionCharacters} characters.`)
  }
  const token = makeAddressToken()
  const made = await withInstallation(async ask => {
    const { id: workspaceId } = await workspaceOf(ask, options.workspace)
    const id = randomId(idLength.address)
    return ask('create-address', { id, workspaceId, tokenHash: hashToken(token), template, secondFactor, description })
  })
  const settings = readAllSettings(process.env)
  const url = `${settings.PUBLIC_URL || `http://localhost:${settings.PORT}`}/in/${token}`
  if (options.json) {
    const { id, ...shown } = readable(made)
    return printJson({ id, url, token, ...shown })
  }
  printMade(url, `Observation address ${made.id}. Its URL is a secret, and is shown only now:`)
}

async function listAddresses(options: InWorkspace): Promise<void> {
  const addresses = await withInstallation(async ask => {
    const { id: workspaceId } = await workspaceOf(ask, options.workspace)
    return ask('list-addresses', { workspaceId })
  })
  if (options.json) return printJson(addresses.map(readable))
  const rows = addresses.map(({ id, createdAt, template, secondFactor, description }) => [
    id,
    day(createdAt),
    template ?? 'any',
    secondFactor ? 'key' : 'none',
    description,
  ])
  printTable(['id', 'made', 'template', 'second factor', 'description'], rows)
}

async function deleteAddress(named: string, options: InWorkspace): Promise<void> {
  const deleted = await withInstallation(async ask => {
    const { id: workspaceId } = await workspaceOf(ask, options.workspace)
    const { id: addressId } = await addressOf(ask, workspaceId, named)
    return ask('delete-address', { workspaceId, addressId })
  })
  if (options.json) return printJson(deleted)
  say(`Observation address ${deleted.id} is deleted.`)
}

const readable = ({ id, workspaceId, template, secondFactor, description, createdAt }: AddressView) => ({
  id,
  workspace: workspaceId,
  template,
  second_factor: secondFactor,
  description,
  created_at: instant(createdAt),
})
