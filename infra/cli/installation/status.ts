// `./watchkeeper status`: state of the workspaces in one line, and open Incidents. With --check, the exit code says whether an Incident
// is open. Sends only one request for each workspace, even if many Incidents are open.
import type { Command } from 'commander'
import { apiPath } from '#shared/api-v3/api-path.ts'
import { counted } from '#shared/text/counted.ts'
import { exitCodes, StartError } from '../../runtime/start-error.ts'
import { type Overview, workspacesOf } from '../api/look-up-api.ts'
import { withApi } from '../api/with-api.ts'
import { printIncidents } from '../incidents/incident-list.ts'
import { type ApiOptions, ofWorkspace, overApi } from '../noun.ts'
import { printJson, printTable, say } from '../terminal/printing.ts'

interface StatusOptions extends ApiOptions {
  check?: boolean
}

type Seen = Overview & { id: string; name: string }

/** States of an open Incident, worst first. */
const standings = ['problem', 'no_data', 'unconfirmed', 'recovering'] as const

export function addStatusCommand(program: Command): void {
  overApi(program.command('status').description('how everything is, in one line, and what is wrong'))
    .option(...ofWorkspace)
    .option('--check', 'end with 4 if an Incident is open')
    .action(status)
}

async function status(options: StatusOptions): Promise<void> {
  const { url, seen } = await withApi(options, async api => {
    const seen: Seen[] = []
    for (const { id, name } of await workspacesOf(api, options.workspace)) {
      seen.push({ id, name, ...(await api.read<Overview>(apiPath`/workspaces/${id}/overview`)) })
    }
    return { url: api.url, seen }
  })
  const open = sum(seen, ({ incidents }) => incidents.open)
  if (options.json) printJson({ url, open_incidents: open, workspaces: seen })
  else print(url, seen, open)
  if (options.check && open > 0) throw new StartError(summary(seen, open), exitCodes.refused)
}

function print(url: string, seen: readonly Seen[], open: number): void {
  const [only] = seen
  const where = seen.length === 1 && only !== undefined ? `"${only.name}"` : counted(seen.length, 'workspace')
  say(`${url}, ${where}: ${open === 0 ? 'nothing is wrong.' : summary(seen, open)}`)
  if (seen.length > 1) printWorkspaces(seen)
  if (open === 0) return
  const oldest = seen.flatMap(({ id, name, oldest }) => oldest.map(one => ({ ...one, workspace: { id, name } })))
  console.log()
  printIncidents(oldest.toSorted((one, other) => Date.parse(one.opened_at) - Date.parse(other.opened_at)))
  if (open > oldest.length) say(`and ${open - oldest.length} newer: ./watchkeeper incident list shows all.`)
}

function printWorkspaces(seen: readonly Seen[]): void {
  console.log()
  printTable(
    ['id', 'Resources', 'open', 'not taken on', 'workspace'],
    seen.map(({ id, name, resources, incidents }) => {
      return [id, ...[resources.active, incidents.open, incidents.unacknowledged].map(String), name]
    }),
  )
}

/**
 * Returns a text such as `3 Incidents are open (2 problem, 1 recovering).` The API's overview has at most 50 rules, so Incidents of further
 * rules are counted only in the total.
 */
function summary(seen: readonly Seen[], open: number): string {
  const rules = seen.flatMap(({ rules }) => rules)
  const counts = standings.map(standing => [standing, sum(rules, rule => rule[standing])] as const)
  const parts = counts.flatMap(([standing, count]) => (count === 0 ? [] : [`${count} ${standing.replace('_', ' ')}`]))
  return `${counted(open, 'Incident')} ${open === 1 ? 'is' : 'are'} open (${parts.join(', ')}).`
}

const sum = <T>(items: readonly T[], of: (item: T) => number): number => items.reduce((total, item) => total + of(item), 0)
