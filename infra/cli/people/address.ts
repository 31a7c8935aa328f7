// `./watchkeeper address create|list|delete`: Observation addresses over generation 3 of the API. A URL is printed once, at its creation.
import type { Command } from 'commander'
import { apiPath } from '#shared/api-v3/api-path.ts'
import { type Address, addressOf } from '../api/look-up-api.ts'
import { withWorkspace } from '../api/with-workspace.ts'
import { type ApiOptions, addApiNoun } from '../noun.ts'
import { printJson, printMade, printTable, say } from '../terminal/printing.ts'

interface CreateOptions extends ApiOptions {
  template?: string
  secondFactor?: boolean
  description?: string
}

type MadeAddress = Address & { url: string; token: string }

export function addAddressCommands(program: Command): void {
  const verb = addApiNoun(program, 'address', 'Observation addresses, to which systems report without a key')
  verb('create', 'make an address; its URL is alone on standard output, and never shown again')
    .option('--template <key>', 'the one Template whose Resources it reports on (default: any of the workspace)')
    .option('--second-factor', 'a report also needs a full key of an editor or owner, in the header X-Observation-Key')
    .option('--description <text>', 'what it is for')
    .action(createAddress)
  verb('list', 'the addresses of a workspace, without their tokens').action(listAddresses)
  verb('delete', 'delete an address; it takes no report any more')
    .argument('<address>', 'its id or its description')
    .action(deleteAddress)
}

async function createAddress(options: CreateOptions): Promise<void> {
  const { template, secondFactor, description } = options
  const sent = { template, second_factor: secondFactor, description }
  const made = await withWorkspace(options, ({ api, root }) => api.send<MadeAddress>('POST', `${root}/addresses`, sent))
  if (options.json) return printJson(made)
  printMade(made.url, `Observation address ${made.id}. Its URL is a secret, and is shown only now:`)
}

async function listAddresses(options: ApiOptions): Promise<void> {
  const addresses = await withWorkspace(options, ({ api, root }) => api.all<Address>(`${root}/addresses`))
  if (options.json) return printJson(addresses)
  printTable(
    ['id', 'made', 'template', 'second factor', 'description'],
    addresses.map(one => [
      one.id,
      one.created_at.slice(0, 10),
      one.template ?? 'any',
      one.second_factor ? 'key' : 'none',
      one.description,
    ]),
  )
}

async function deleteAddress(named: string, options: ApiOptions): Promise<void> {
  const deleted = await withWorkspace(options, async ({ api, workspace, root }) => {
    const { id } = await addressOf(api, workspace.id, named)
    return api.send<{ id: string }>('DELETE', `${root}${apiPath`/addresses/${id}`}`)
  })
  if (options.json) return printJson(deleted)
  say(`Observation address ${deleted.id} is deleted.`)
}
