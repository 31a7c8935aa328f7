// `./watchkeeper events`: what happens in a workspace, from the stream of events of generation 3.
import { setTimeout as pause } from 'node:timers/promises'
import { type Command, Option } from 'commander'
import { apiPath } from '#shared/api-v3/api-path.ts'
import { ApiUnreachable } from '#shared/api-v3/errors.ts'
import type { ServerEvent } from '#shared/api-v3/event-stream.ts'
import { clientLimits } from '#shared/limits/limits-of-clients.ts'
import { exitCodes, StartError, usageError } from '../../runtime/start-error.ts'
import { workspaceOf } from '../api/look-up-api.ts'
import { type Api, whileWatching } from '../api/with-api.ts'
import { type ApiOptions, ofWorkspace, overApi } from '../noun.ts'
import { onEndingSignals } from '../terminal/ending-signals.ts'
import { printJson, say, warn } from '../terminal/printing.ts'

interface EventsOptions extends ApiOptions {
  follow?: true
  after?: string
}

export function addEventsCommand(program: Command): void {
  overApi(program.command('events').description('what happens in a workspace, one line for each event'))
    .option(...ofWorkspace)
    .option('--follow', 'until a signal ends the command; a lost connection is opened again')
    .addOption(new Option('--after <id>', 'what happened after the event with this id, if the server still has it'))
    .action(printEvents)
}

/** Resolves after a signal, when standard output is closed, or without `--follow` when all events so far are printed. */
async function printEvents(options: EventsOptions): Promise<void> {
  const { follow = false, after = null } = options
  if (!follow && after === null) throw usageError('Give --follow, or --after with the id of an event.')
  const enough = new AbortController()
  const end = () => enough.abort()
  onEndingSignals({ signals: ['SIGTERM', 'SIGINT'], first: end, again: end })
  process.stdout.on('error', end)
  await whileWatching(options, enough.signal, async api => {
    const { id } = await workspaceOf(api, options.workspace)
    const path = apiPath`/workspaces/${id}/events`
    try {
      if (follow) await followEvents(api, path, { after, print: printer(options), ending: enough.signal })
      else await printMissed(api, path, after, printer(options))
    } catch (error) {
      if (!enough.signal.aborted) throw error
    }
  })
}

type Print = (event: ServerEvent) => void

async function printMissed(api: Api, path: string, after: string | null, print: Print): Promise<void> {
  for await (const event of api.events(path, after)) {
    print(event)
    if (event.event === 'hello') return
  }
}

interface Following {
  after: string | null
  print: Print
  ending: AbortSignal
}

/** Opens the stream again after each end, beginning after the last event. Only the first stream must open. */
async function followEvents(api: Api, path: string, { after, print, ending }: Following): Promise<void> {
  let last = after
  let isFirst = true
  let isAway = false
  while (!ending.aborted) {
    try {
      for await (const event of api.events(path, last)) {
        if (isAway) warn('Watchkeeper responds again.')
        isAway = false
        isFirst = false
        if (event.id !== '') last = event.id
        print(event)
        if (whyEnded(event) === 'key') throw new StartError('The key was deleted or its person is disabled.', exitCodes.refused)
      }
    } catch (error) {
      if (ending.aborted) return
      if (!(error instanceof ApiUnreachable) || isFirst) throw error
      if (!isAway) warn(`The stream is lost (${error.message}): it is opened again.`)
      isAway = true
    }
    await pause(clientLimits.watchMs, undefined, { signal: ending }).catch(() => undefined)
  }
}

const whyEnded = ({ event, data }: ServerEvent): unknown => (event === 'ended' ? data['why'] : null)

const printer = ({ json = false }: EventsOptions): Print => (json ? printJson : event => say(lineOf(event)))

/** Returns the event as one line: its id, its name, and what it is about. */
function lineOf({ id, event, data }: ServerEvent): string {
  const facts = Object.entries(data)
    .filter(([name, value]) => shown.has(name) && value !== null)
    .map(([name, value]) => (named.has(name) ? String(value) : `${name} ${String(value)}`))
  return [id.padEnd(14), event.padEnd(8), ...facts].join('  ').trimEnd()
}

/** Members of events that a line shows, and those whose names the line leaves out. */
const named = new Set(['key', 'name', 'status', 'state', 'kind', 'explanation', 'why', 'template'])
const shown = new Set([
  ...named,
  'id',
  'monitor',
  'incident',
  'destination_name',
  'ends_at',
  'active_workers_count',
  'location_id',
])
