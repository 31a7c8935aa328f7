// The verbs of Incidents.
import { apiPath } from '#shared/api-v3/api-path.ts'
import { usageError } from '../../runtime/start-error.ts'
import { type IncidentDetail, incidentOf } from '../api/look-up-api.ts'
import { withApi } from '../api/with-api.ts'
import type { ApiOptions } from '../noun.ts'
import { printJson, say } from '../terminal/printing.ts'
import { type ListOptions, placesOf, printIncidents, readIncidents } from './incident-list.ts'
import { drawing, explanation } from './incident-text.ts'
import { watchIncidents } from './incident-watch.ts'

export async function listIncidents(options: ListOptions): Promise<void> {
  if (options.watch) {
    if (options.lifecycle !== undefined) throw usageError('--watch goes without --lifecycle: it watches open Incidents.')
    return watchIncidents(options)
  }
  const found = await withApi(options, async api => readIncidents(api, await placesOf(api, options), options))
  if (options.json) printJson(found)
  else printIncidents(found)
}

export async function showIncident(named: string, options: ApiOptions): Promise<void> {
  const { incident } = await withApi(options, api => incidentOf(api, options.workspace, named))
  if (options.json) return printJson(incident)
  for (const line of drawing(incident)) say(line)
}

export async function explainIncident(named: string, options: ApiOptions): Promise<void> {
  const { incident } = await withApi(options, api => incidentOf(api, options.workspace, named))
  const sentences = explanation(incident)
  if (options.json) return printJson({ id: incident.id, sentences })
  for (const sentence of sentences) say(sentence)
}

export async function acknowledgeIncident(named: string, options: ApiOptions): Promise<void> {
  const taken = await withApi(options, async api => {
    const { workspace, incident } = await incidentOf(api, options.workspace, named)
    return api.send<IncidentDetail>('POST', apiPath`/workspaces/${workspace.id}/incidents/${incident.id}/acknowledge`)
  })
  if (options.json) return printJson(taken)
  say(`Incident ${taken.id} of ${taken.resource.key} is taken by ${taken.acknowledgement?.by ?? 'nobody'}.`)
}
