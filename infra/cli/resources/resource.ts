// `./watchkeeper resource create|list|show|change|archive|ping-address`: Resources over generation 3 of the API.
import type { Command } from 'commander'
import { type ApiOptions, addApiNoun, collect } from '../noun.ts'
import { type PingAddressOptions, showPingAddresses } from './ping-address.ts'
import {
  archiveResource,
  type ChangeOptions,
  changeResource,
  createResource,
  type ListOptions,
  listResources,
  type NewResource,
  showResource,
  withListOptions,
} from './resource-verbs.ts'

const named = ['<resource>', 'its id, key or name'] as const

export function addResourceCommands(program: Command): void {
  const verb = addApiNoun(program, 'resource', 'Resources: everything that is watched')
  verb('create', 'make a Resource of a Template; its key alone is on standard output')
    .argument('<name>', 'what it is called')
    .requiredOption('--template <template>', 'key, which means its highest version, or key@version')
    .option('--key <key>', 'its key (default: made of the name)')
    .option('--meta <field=value>', 'an answer to a field of the Template; may be given several times', collect)
    .option('--label <key=value>', 'a label; may be given several times', collect)
    .action((name: string, options: NewResource) => createResource(name, options))
  withListOptions(verb('list', 'Resources, with the worst open Incident of each'))
    .option('--template <template>', 'only those of this Template: key or key@version')
    .option('--meta <field=value>', 'only those with this answer, with --template; at most five', collect)
    .action((options: ListOptions) => listResources(options))
  verb('show', 'one Resource as it reads now: rules, signals, answers, labels')
    .argument(...named)
    .action((named: string, options: ApiOptions) => showResource(named, options))
  verb('change', 'change name, answers or labels, and leave the rest')
    .argument(...named)
    .option('--name <name>', 'another name')
    .option('--meta <field=value>', 'an answer; nothing behind the = takes the default back', collect)
    .option('--label <key=value>', 'a label; nothing behind the = takes it away', collect)
    .action((resource: string, options: ChangeOptions) => changeResource(resource, options))
  verb('archive', 'end a Resource for good: its Incidents close, its key stays taken')
    .argument(...named)
    .action((named: string, options: ApiOptions) => archiveResource(named, options))
  verb('ping-address', 'the addresses to which runs of a job report, alone on standard output')
    .argument(...named)
    .option('--signal <signal>', 'only that of this signal')
    .option('--rotate', 'make a new address of the signal; the old one is unknown from then on')
    .action((named: string, options: PingAddressOptions) => showPingAddresses(named, options))
}
