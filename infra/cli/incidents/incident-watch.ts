// `./watchkeeper incident list --watch`: open Incidents, read repeatedly until a signal ends the command. An unreachable server is retried.
import { setTimeout as pause } from 'node:timers/promises'
import { ApiUnreachable } from '#shared/api-v3/errors.ts'
import { clientLimits } from '#shared/limits/limits-of-clients.ts'
import { whileWatching } from '../api/with-api.ts'
import { onEndingSignals } from '../terminal/ending-signals.ts'
import { cutTo } from '../terminal/plain-line.ts'
import { printJson, say, warn } from '../terminal/printing.ts'
import {
  type ListOptions,
  type Place,
  placesOf,
  printIncidents,
  readIncidents,
  stateOf,
  type WorkspaceIncident,
} from './incident-list.ts'

type Show = (incidents: readonly WorkspaceIncident[]) => void

/** Resolves after a signal, or when standard output is closed. */
export async function watchIncidents(options: ListOptions): Promise<void> {
  const enough = new AbortController()
  const end = () => enough.abort()
  onEndingSignals({ signals: ['SIGTERM', 'SIGINT'], first: end, again: end })
  process.stdout.on('error', end)
  const show = process.stdout.isTTY && !options.json ? redraw : changesOf(options.json === true)
  await whileWatching(options, enough.signal, async api => {
    let places: Place[] = []
    let isAway = false
    let isFirst = true
    while (!enough.signal.aborted) {
      try {
        // A named Resource is looked up only once. Without a named Resource, each read looks up the workspaces again, because a workspace
        // may be new.
        if (options.resource === undefined || isFirst) places = await placesOf(api, options)
        show(await readIncidents(api, places, options))
        isFirst = false
        if (isAway) warn('Watchkeeper responds again.')
        isAway = false
      } catch (error) {
        if (enough.signal.aborted) return
        // Only the first read must succeed, so that a wrong address ends the command.
        if (!(error instanceof ApiUnreachable) || isFirst) throw error
        if (!isAway) warn(`Watchkeeper does not respond (${error.message}): it is asked again.`)
        isAway = true
      }
      await pause(clientLimits.watchMs, undefined, { signal: enough.signal }).catch(() => undefined)
    }
  })
}

/** Prints as many Incidents as fit into the window, newest first. */
function redraw(incidents: readonly WorkspaceIncident[]): void {
  process.stdout.write('\u001b[H\u001b[2J\u001b[3J')
  const { columns, rows } = process.stdout
  // Four rows of the window are left for the heading, and for a line that counts the Incidents that do not fit.
  const shown = incidents.slice(0, Math.max(1, rows - 4))
  const line = (text: string) => console.log(cutTo(text, columns))
  line(`${incidents.length} open, ${new Date().toISOString().slice(11, 19)} UTC; Ctrl-C ends it`)
  printIncidents(shown, columns)
  if (shown.length < incidents.length) line(`and ${incidents.length - shown.length} older`)
}

/** Prints a line for each Incident that is new, changed, or no longer open. */
function changesOf(asJson: boolean): Show {
  let before = new Map<string, WorkspaceIncident>()
  const print = (change: string, incident: WorkspaceIncident) => {
    const at = new Date().toISOString()
    if (asJson) return printJson({ at, change, incident })
    const { id, workspace, resource, rule, cause, explanation } = incident
    say(`${at}  ${change.padEnd(11)}  ${id}  ${workspace.name}  ${resource.key}  ${rule}  ${cause ?? explanation}`)
  }
  return incidents => {
    const now = new Map(incidents.map(incident => [incident.id, incident]))
    for (const incident of now.values()) {
      const known = before.get(incident.id)
      if (known === undefined || stateOf(known) !== stateOf(incident)) print(stateOf(incident), incident)
      if (incident.acknowledgement !== null && known?.acknowledgement == null) print('taken', incident)
    }
    for (const [id, incident] of before) if (!now.has(id)) print('closed', incident)
    before = now
  }
}
