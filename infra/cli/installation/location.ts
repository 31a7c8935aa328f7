// `./watchkeeper location create|list|rename|delete`: places from which probers check.
import type { Command } from 'commander'
import type { LocationView } from '#shared/contracts/ask/ask-people.ts'
import { idLength, randomId } from '#shared/text/ids.ts'
import { usageError } from '../../runtime/start-error.ts'
import { addNoun, type JsonOption } from '../noun.ts'
import { instant, printJson, printMade, printTable, say, warn } from '../terminal/printing.ts'
import { locationOf } from './look-up.ts'
import { askInstallation, withInstallation } from './running-installation.ts'

interface LocationOptions extends JsonOption {
  displayName?: string
}

export function addLocationCommands(program: Command): void {
  const verb = addNoun(program, 'location', 'the places that probers check from')
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
  const id = randomId(idLength.location)
  const made = await askInstallation('create-location', { id, name, displayName: options.displayName ?? null })
  if (options.json) return printJson(readable(made))
  printMade(made.id, `Location "${made.name}" is made. Its id:`)
}

async function listLocations(options: LocationOptions): Promise<void> {
  const all = await askInstallation('list-locations', {})
  if (options.json) return printJson(all.map(readable))
  printTable(
    ['id', 'live probers', 'last seen', 'name', 'shown as'],
    all.map(one => [one.id, String(one.activeWorkers), lastSeen(one), one.name, one.displayName ?? one.name]),
  )
}

async function renameLocation(named: string, name: string | undefined, options: LocationOptions): Promise<void> {
  const { displayName } = options
  if (name === undefined && displayName === undefined) {
    throw usageError('Say the new name, or --display-name.')
  }
  const renamed = await withInstallation(async ask => {
    const { id: locationId } = await locationOf(ask, named)
    return ask('update-location', {
      locationId,
      ...(name === undefined ? {} : { name }),
      ...(displayName === undefined ? {} : { displayName }),
    })
  })
  if (name !== undefined && renamed.activeWorkers > 0) {
    // Prints to standard error, because with --json standard output contains only JSON.
    warn(`Its probers go on. Before they start again, set LOCATION_ID=${renamed.id} or LOCATION to the new name.`)
  }
  if (options.json) return printJson(readable(renamed))
  say(`Location ${renamed.id} is called "${renamed.name}" now, shown as "${renamed.displayName ?? renamed.name}".`)
}

async function deleteLocation(named: string, options: LocationOptions): Promise<void> {
  const { id, name } = await withInstallation(async ask => {
    const location = await locationOf(ask, named)
    await ask('delete-location', { locationId: location.id })
    return location
  })
  if (options.json) return printJson({ id })
  say(`Location ${id} ("${name}") is deleted.`)
}

const readable = (location: LocationView) => ({
  id: location.id,
  name: location.name,
  display_name: location.displayName,
  active_workers_count: location.activeWorkers,
  last_seen_at: location.lastSeenAt === null ? null : instant(location.lastSeenAt),
})

const lastSeen = ({ activeWorkers, lastSeenAt }: LocationView): string => {
  if (lastSeenAt === null) return 'never'
  return activeWorkers > 0 ? 'now' : instant(lastSeenAt)
}
