// `./watchkeeper incident list --watch`: open Incidents, read again and again until a signal ends it. A server that is away is waited for.
import { setTimeout as pause } from 'node:timers/promises'
import { ApiUnreachable } from '#shared/api-v3/errors.ts'
import { clientLimits } from '#shared/limits-of-clients.ts'
import { onEndingSignals } from './ending-signals.ts'
import { type ListOptions, type Placed, printIncidents, readIncidents, stateOf } from './incident-list.ts'
import { oneLine, printJson } from './printing.ts'
import { whileWatching } from './with-api.ts'

type Show = (incidents: readonly Placed[]) => void

/** Resolves after a signal, or once nobody reads standard output. */
export async function watchIncidents(options: ListOptions): Promise<void> {
  const enough = new AbortController()
  const end = () => enough.abort()
  onEndingSignals({ signals: ['SIGTERM', 'SIGINT'], first: end, again: end })
  process.stdout.on('error', end)
  const show = process.stdout.isTTY && !options.json ? redraw : changesOf(options.json === true)
  await whileWatching(options, async api => {
    let isAway = false
    let isFirst = true
    while (!enough.signal.aborted) {
      try {
        show(await readIncidents(api, options))
        isFirst = false
        if (isAway) console.error('Watchkeeper responds again.')
        isAway = false
      } catch (error) {
        // Its first look must succeed: an address that is wrong is not waited for.
        if (!(error instanceof ApiUnreachable) || isFirst) throw error
        if (!isAway) console.error(`Watchkeeper does not respond (${oneLine(error.message)}): it is asked again.`)
        isAway = true
      }
      await pause(clientLimits.watchMs, undefined, { signal: enough.signal }).catch(() => undefined)
    }
  })
}

function redraw(incidents: readonly Placed[]): void {
  process.stdout.write('\u001b[H\u001b[2J\u001b[3J')
  console.log(`${incidents.length} open, ${new Date().toISOString().slice(11, 19)} UTC; Ctrl-C ends it`)
  printIncidents(incidents)
}

/** A line for each Incident that is new, changed, or no longer open. */
function changesOf(asJson: boolean): Show {
  let before = new Map<string, Placed>()
  const print = (change: string, incident: Placed) => {
    const at = new Date().toISOString()
    if (asJson) return printJson({ at, change, incident })
    const { id, workspace, resource, rule, explanation } = incident
    console.log(oneLine(`${at}  ${change.padEnd(11)}  ${id}  ${workspace.name}  ${resource.key}  ${rule}  ${explanation}`))
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
