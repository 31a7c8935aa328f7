// `./watchkeeper ping-key create|list|delete`: ping keys of a workspace over generation 3 of the API.
import type { Command } from 'commander'
import { apiPath } from '#shared/api-v3/api-path.ts'
import { type PingKey, pingKeyOf } from '../api/look-up-api.ts'
import { withWorkspace } from '../api/with-workspace.ts'
import { type ApiOptions, addApiNoun } from '../noun.ts'
import { printJson, printMade, printTable, say } from '../terminal/printing.ts'

interface CreateOptions extends ApiOptions {
  description?: string
  key?: string
}

export function addPingKeyCommands(program: Command): void {
  const verb = addApiNoun(program, 'ping-key', 'ping keys, with which jobs report by the key of their Resource')
  verb('create', 'make a ping key; it is alone on standard output')
    .option('--description <text>', 'what it is for')
    .option('--key <key>', 'the key itself, to go on with one of elsewhere (default: a new one)')
    .action(createPingKey)
  verb('list', 'the ping keys of a workspace, in full').action(listPingKeys)
  verb('delete', 'delete a ping key; addresses with it are unknown from then on')
    .argument('<ping-key>', 'its id or its description')
    .action(deletePingKey)
}

async function createPingKey(options: CreateOptions): Promise<void> {
  const { description, key } = options
  const sent = { description, key }
  const made = await withWorkspace(options, ({ api, root }) => api.send<PingKey>('POST', `${root}/ping-keys`, sent))
  if (options.json) return printJson(made)
  printMade(made.key, `Ping key ${made.id}. Whoever has it may report for the Resources of the workspace:`)
}

async function listPingKeys(options: ApiOptions): Promise<void> {
  const keys = await withWorkspace(options, ({ api, root }) => api.all<PingKey>(`${root}/ping-keys`))
  if (options.json) return printJson(keys)
  printTable(
    ['id', 'made', 'key', 'description'],
    keys.map(one => [one.id, one.created_at.slice(0, 10), one.key, one.description]),
  )
}

async function deletePingKey(named: string, options: ApiOptions): Promise<void> {
  const deleted = await withWorkspace(options, async ({ api, workspace, root }) => {
    const { id } = await pingKeyOf(api, workspace.id, named)
    return api.send<{ id: string }>('DELETE', `${root}${apiPath`/ping-keys/${id}`}`)
  })
  if (options.json) return printJson(deleted)
  say(`Ping key ${deleted.id} is deleted.`)
}
