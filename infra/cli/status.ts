// `./watchkeeper status`: how the workspaces are, in one line, and what is wrong. For a person's first look, and with --check for scripts.
import type { Command } from 'commander'
import { counted } from '#shared/counted.ts'
import { exitCodes, StartError } from '../embedded/start-error.ts'
import { type Placed, printIncidents, readIncidents, stateOf } from './incident-list.ts'
import { workspacesOf } from './look-up-api.ts'
import { type ApiOptions, ofWorkspace, overApi } from './noun.ts'
import { printJson, say } from './printing.ts'
import { withApi } from './with-api.ts'

interface StatusOptions extends ApiOptions {
  check?: boolean
}

/** Incidents of each workspace that are read at most. */
const incidentsMax = 10_000

export function addStatusCommand(program: Command): void {
  overApi(program.command('status').description('how everything is, in one line, and what is wrong'))
    .option(...ofWorkspace)
    .option('--check', 'end with 4 if an Incident is open')
    .action(status)
}

async function status(options: StatusOptions): Promise<void> {
  const { url, workspaces, open } = await withApi(options, async api => ({
    url: api.url,
    workspaces: (await workspacesOf(api, options.workspace)).map(({ id, name }) => ({ id, name })),
    open: await readIncidents(api, { ...options, limit: incidentsMax }),
  }))
  if (options.json) printJson({ url, workspaces, open_incidents: open })
  else print(url, workspaces, open)
  if (options.check && open.length > 0) throw new StartError(summary(open), exitCodes.refused)
}

function print(url: string, workspaces: readonly { name: string }[], open: readonly Placed[]): void {
  const [only] = workspaces
  const where = workspaces.length === 1 && only !== undefined ? `"${only.name}"` : counted(workspaces.length, 'workspace')
  say(`${url}, ${where}: ${open.length === 0 ? 'nothing is wrong.' : summary(open)}`)
  if (open.length === 0) return
  console.log()
  printIncidents(open)
}

/** Such as `3 Incidents are open (2 problem, 1 recovering).` */
function summary(open: readonly Placed[]): string {
  const states = Map.groupBy(open, stateOf)
  const parts = [...states].map(([state, incidents]) => `${incidents.length} ${state.replace('_', ' ')}`)
  return `${counted(open.length, 'Incident')} ${open.length === 1 ? 'is' : 'are'} open (${parts.join(', ')}).`
}
