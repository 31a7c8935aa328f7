// `./watchkeeper incident list|show|explain|ack|replay`: what is wrong, over generation 3 of the API; and one Incident rebuilt from its records.
import { type Command, InvalidArgumentError, Option } from 'commander'
import { acknowledgeIncident, explainIncident, listIncidents, showIncident } from './incident-verbs.ts'
import type { JsonOption } from './noun.ts'
import { addApiNoun, collect } from './noun.ts'

const rowsMax = 10_000
const named = ['<incident>', 'its id, or the key or name of the Resource that has it open'] as const

export function addIncidentCommands(program: Command): void {
  const verb = addApiNoun(program, 'incident', 'what is wrong, and how it came to be')
  verb('list', 'open Incidents of every workspace that the key reaches, newest first')
    .option('--watch', 'go on: redrawn on a terminal, else a line for each change')
    .addOption(new Option('--lifecycle <lifecycle>', 'default: open').choices(['open', 'closed', 'all']))
    .option('--resource <resource>', 'only those of this Resource, by id or key')
    .option('--template <template>', 'only those of Resources of this Template: key or key@version')
    .option('--meta <field=value>', 'only those of Resources with this answer, with --template; at most five', collect)
    .option('--label <key=value>', 'only those of Resources with this label; at most five', collect)
    .option('--limit <rows>', `rows of each workspace at most, 1 to ${rowsMax}`, readLimit, 1_000)
    .action(listIncidents)
  verb('show', 'one Incident: its facts, its history, the path of its machine and what comes next')
    .argument(...named)
    .action(showIncident)
  verb('explain', 'one Incident in sentences: why, since when, who knows, what happens next')
    .argument(...named)
    .action(explainIncident)
  verb('ack', 'take an open Incident on: its reminders stop, its state stays')
    .argument(...named)
    .action(acknowledgeIncident)
  program.commands
    .find(command => command.name() === 'incident')
    ?.command('replay')
    .description('rebuild an incident from its records alone; fails if they do not lead to the stored incident')
    .argument('<incident>', 'its id, as the API shows it, or the name of the subject that has it open')
    .option('--json', 'print JSON, for scripts')
    .action(async (incident: string, options: JsonOption) => (await import('./incident-replay.ts')).replay(incident, options))
}

function readLimit(text: string): number {
  const limit = /^\d{1,5}$/.test(text) ? Number(text) : 0
  if (limit < 1 || limit > rowsMax) throw new InvalidArgumentError(`It must be 1 to ${rowsMax}.`)
  return limit
}
