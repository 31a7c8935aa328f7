// `./watchkeeper maintenance start|end|show`: windows in which messages about a Resource are held back.
import { type Command, InvalidArgumentError } from 'commander'
import { parseDuration } from '#shared/time/durations.ts'
import { minute } from '#shared/time/time-units.ts'
import { type ResourceDetail, resourceOf } from '../api/look-up-api.ts'
import { withWorkspace } from '../api/with-workspace.ts'
import { type ApiOptions, addApiNoun } from '../noun.ts'
import { printJson, say } from '../terminal/printing.ts'
import { sendTo } from './resource-verbs.ts'

export function addMaintenanceCommands(program: Command): void {
  const verb = addApiNoun(program, 'maintenance', 'windows in which messages about a Resource are held back')
  const resource = ['<resource>', 'its id, key or name'] as const
  verb('start', 'hold messages back from now on, or move the end of the window that runs')
    .argument(...resource)
    .argument('<duration>', 'until it ends by itself: whole minutes up to 168h, such as 90m', readMinutes)
    .action(start)
  verb('end', 'end the window that runs')
    .argument(...resource)
    .action(end)
  verb('show', 'the window that runs')
    .argument(...resource)
    .action(show)
}

async function start(named: string, minutes: number, options: ApiOptions): Promise<void> {
  printWindow(await sendTo(named, options, { method: 'PUT', path: '/maintenance', body: { minutes } }), options)
}

async function end(named: string, options: ApiOptions): Promise<void> {
  printWindow(await sendTo(named, options, { method: 'DELETE', path: '/maintenance' }), options)
}

function printWindow(changed: ResourceDetail, { json }: ApiOptions): void {
  if (json) printJson(changed)
  else sayWindow(changed)
}

async function show(named: string, options: ApiOptions): Promise<void> {
  const shown = await withWorkspace(options, ({ api, workspace }) => resourceOf(api, workspace.id, named))
  if (options.json) return printJson(shown.maintenance)
  sayWindow(shown)
}

function sayWindow({ key, maintenance }: ResourceDetail): void {
  if (maintenance === null) say(`${key} is not in maintenance.`)
  else say(`${key} is in maintenance from ${maintenance.from} until ${maintenance.until}, by ${maintenance.by}.`)
}

function readMinutes(text: string): number {
  const ms = parseDuration(text)
  if (ms === null || ms <= 0 || ms % minute !== 0) throw new InvalidArgumentError('It must be whole minutes, such as 90m or 2h.')
  return ms / minute
}
