// `./watchkeeper incident list|show|explain|ack`: Incidents over generation 3 of the API. `replay|inspect`: records of one incident, over
// the bus.
import { type Command, Option } from 'commander'
import type { JsonOption } from '../noun.ts'
import { addApiNoun, collect, wholeNumber } from '../noun.ts'
import type { InspectOptions } from './incident-inspect.ts'
import { acknowledgeIncident, explainIncident, listIncidents, showIncident } from './incident-verbs.ts'

const rowsMax = 10_000
const named = ['<incident>', 'its id, or the key or name of the Resource that has it open'] as const

export function addIncidentCommands(program: Command): void {
  const verb = addApiNoun(program, 'incident', 'incidents with their evidence and their history')
  verb('list', 'open Incidents of every workspace that the key reaches, newest first')
    .option('--watch', 'go on: redrawn on a terminal, else a line for each change')
    .addOption(new Option('--lifecycle <lifecycle>', 'default: open').choices(['open', 'closed', 'all']))
    .option('--resource <resource>', 'only those of this Resource, by id or key, else by name; exit code 5 if there is none')
    .option('--template <template>', 'only those of Resources of this Template: key or key@version')
    .option('--meta <field=value>', 'only those of Resources with this answer, with --template; at most five', collect)
    .option('--label <key=value>', 'only those of Resources with this label; at most five', collect)
    .option('--limit <rows>', `rows of each workspace at most, 1 to ${rowsMax}`, wholeNumber(1, rowsMax), 1_000)
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
  const noun = program.commands.find(command => command.name() === 'incident')
  noun
    ?.command('replay')
    .description('rebuild an incident from its records alone; fails if they do not lead to the stored incident')
    .argument('<incident>', 'its id, as the API shows it, or the name of the subject that has it open')
    .option('--json', 'print JSON, for scripts')
    .action(async (incident: string, options: JsonOption) => (await import('./incident-replay.ts')).replay(incident, options))
  noun
    ?.command('inspect')
    .description(
      'serve the records of an incident, then its life, to a receiver of the Stately inspection protocol on this machine',
    )
    .argument('<incident>', 'its id, as the API shows it, or the name of the subject that has it open')
    .addOption(
      new Option('--port <port>', 'port of the WebSocket at 127.0.0.1; 0 takes a free one')
        .default(0)
        .argParser(wholeNumber(0, 65_535)),
    )
    .action(async (incident: string, options: InspectOptions) =>
      (await import('./incident-inspect.ts')).inspect(incident, options),
    )
}
