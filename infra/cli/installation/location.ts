// `./watchkeeper location create|list|rename|delete`: places from which probers check, over generation 3 of the API.
import type { Command } from 'commander'
import { apiPath } from '#shared/api-v3/api-path.ts'
import { usageError } from '../../runtime/start-error.ts'
import { type Location, locationOf } from '../api/look-up-api.ts'
import { withApi } from '../api/with-api.ts'
import { type ApiOptions, addInstallationNoun } from '../noun.ts'
import { printJson, printMade, printTable, say, warn } from '../terminal/printing.ts'

interface LocationOptions extends ApiOptions {
  displayName?: string
}

export function addLocationCommands(program: Command): void {
  const verb = addInstallationNoun(program, 'location', 'the places that probers check from')
  const displayName = ['--display-name <text>', 'how it is shown to people; an empty text: as its name'] as const
  verb('create', 'make a location; its id alone is on standard output')
    .argument('<name>', 'what monitors call it')
    .option(...displayName)
    .action(createLocation)
  verb('list', 'all locations, how many probers of each live, and when one was last seen').action(listLocations)
  verb('rename', 'call a location something else; its monitors follow by themselves')
    .argument('<location>', 'its id or its name')
    .argument('[name]', 'the new name')
    .option(...displayName)
    .action(renameLocation)
  verb('delete', 'delete a location that no monitor and no prober uses')
    .argument('<location>', 'its id or its name')
    .action(deleteLocation)
}

async function createLocation(name: string, options: LocationOptions): Promise<void> {
  const sent = { name, display_name: options.displayName }
  const made = await withApi(options, api => api.send<Location>('POST', '/locations', sent))
  if (options.json) return printJson(made)
  printMade(made.id, `Location "${made.name}" is made. Its id:`)
}

async function listLocations(options: LocationOptions): Promise<void> {
  const all = await withApi(options, api => api.all<Location>('/locations'))
  if (options.json) return printJson(all)
  printTable(
    ['id', 'live probers', 'last seen', 'name', 'shown as'],
    all.map(one => [one.id, String(one.active_workers_count), lastSeen(one), one.name, one.display_name ?? one.name]),
  )
}

async function renameLocation(named: string, name: string | undefined, options: LocationOptions): Promise<void> {
  const { displayName } = options
  if (name === undefined && displayName === undefined) {
    throw usageError('Say the new name, or --display-name.')
  }
  const renamed = await withApi(options, async api => {
    const { id } = await locationOf(api, named)
    return api.send<Location>('PATCH', apiPath`/locations/${id}`, { name, display_name: displayName })
  })
  if (name !== undefined && renamed.active_workers_count > 0) {
    // Prints to standard error, because with --json standard output contains only JSON.
    warn(`Its probers go on. Before they start again, set LOCATION_ID=${renamed.id} or LOCATION to the new name.`)
  }
  if (options.json) return printJson(renamed)
  say(`Location ${renamed.id} is called "${renamed.name}" now, shown as "${renamed.display_name ?? renamed.name}".`)
}

async function deleteLocation(named: string, options: LocationOptions): Promise<void> {
  const { name, deleted } = await withApi(options, async api => {
    const { id, name } = await locationOf(api, named)
    return { name, deleted: await api.send<{ id: string }>('DELETE', apiPath`/locations/${id}`) }
  })
  if (options.json) return printJson(deleted)
  say(`Location ${deleted.id} ("${name}") is deleted.`)
}

const lastSeen = ({ active_workers_count: workers, last_seen_at: at }: Location): string => {
  if (at === null) return 'never'
  return workers > 0 ? 'now' : at
}
