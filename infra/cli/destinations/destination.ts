// `./watchkeeper destination types|create|list|show|change|test|deliveries|delete|secret`: destinations of a workspace's messages, over
// generation 3 of the API. A secret is printed once, at its creation. The address of a destination may be a secret and is never printed.
import type { Command } from 'commander'
import { addApiNoun, collect, inWorkspace, wholeNumber, yesOrNo } from '../noun.ts'
import * as verbs from './destination-verbs.ts'
import { listTypes } from './settings-set.ts'

const named = ['<destination>', 'its id or its name'] as const
const to = ['--to <url>', 'the address that messages are posted to; -: the first line of standard input'] as const
const channel = ['--channel <channel>', 'of Slack: another channel than the address has'] as const
const set = ['--set <key=value>', 'a setting of the type; a secret as key=env:<VARIABLE>', collect] as const

export function addDestinationCommands(program: Command): void {
  const verb = addApiNoun(program, 'destination', 'where the messages of a workspace go')
  verb('types', 'the types of destinations, and the settings of each').action(listTypes)
  verb('create', 'make a destination; its id alone is on standard output')
    .argument('<name>', 'what it is called')
    .option(...to)
    .option('--type <type>', 'a type that `destination types` lists; absent: a program that takes JSON')
    .option(...set)
    .option(...channel)
    .option('--default', 'make it the default of the workspace, as its first destination always is')
    .option('--send-on-open', 'of a webhook: also when an Incident opens, before it is confirmed')
    .action(verbs.createDestination)
  verb('list', 'the destinations of a workspace, without their addresses').action(verbs.listDestinations)
  verb('show', 'one destination, without its address')
    .argument(...named)
    .action(verbs.showDestination)
  addChange(verb)
  verb('test', 'send a test message, once')
    .argument(...named)
    .action(verbs.testDestination)
  verb('deliveries', 'the newest messages that were sent or kept back')
    .argument(...named)
    .option('--limit <rows>', 'rows at most, 1 to 1000', wholeNumber(1, 1_000), 50)
    .action(verbs.listDeliveries)
  verb('delete', 'delete a destination that no rule names')
    .argument(...named)
    .action(verbs.deleteDestination)
  addSecret(program.commands.find(command => command.name() === 'destination'))
}

type Verb = (name: string, description: string) => Command

function addChange(verb: Verb): void {
  verb('change', 'change what is named and leave the rest')
    .argument(...named)
    .option('--name <name>', 'another name')
    .option(...to)
    .option(...set)
    .option(...channel)
    .addOption(yesOrNo('--enabled <right>', 'whether messages are sent there'))
    .addOption(yesOrNo('--send-on-open <right>', 'of a webhook: also when an Incident opens'))
    .option('--default', 'make it the default of the workspace')
    .action(verbs.changeDestination)
}

/** The command uses the bus, so it works only on the installation's machine. */
function addSecret(noun: Command | undefined): void {
  noun
    ?.command('secret')
    .description(
      'make the secret that signs the messages of a destination, on the machine of the installation; it is alone on standard output, and never shown again',
    )
    .argument(...named)
    .option(...inWorkspace)
    .option('--json', 'print JSON, for scripts')
    .option('--rotate', 'make another secret; the previous one signs too during the grace')
    .option('--grace <duration>', 'how long the previous secret signs too (default: 24h)')
    .option('--remove', 'stop signing')
    .action(async (destination: string, options: object) =>
      (await import('./destination-secret.ts')).secret(destination, options),
    )
}
