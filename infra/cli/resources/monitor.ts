// `./watchkeeper monitor create|list|show|change|archive`: website monitors, which are Resources of the Template of websites.
import { type Command, InvalidArgumentError, Option } from 'commander'
import type { CheckField } from '#shared/checks/check-field.ts'
import { confirmAfter, failureMode, recoverAfter, usualInterval } from '#shared/checks/watch-fields.ts'
import { url, websiteFields } from '#shared/checks/website/fields.ts'
import { websiteTemplate as template } from '#shared/checks/website/website-template.ts'
import { checkedKind } from '#shared/contracts/subjects/subject-kind.ts'
import { notFoundError } from '../../runtime/start-error.ts'
import { locationIds, resourceOf } from '../api/look-up-api.ts'
import { type ApiOptions, addApiNoun, collect } from '../noun.ts'
import { pairsOfOptions, withFieldOptions } from './field-options.ts'
import { printFigures } from './monitor-rows.ts'
import {
  archiveResource,
  type ChangeOptions,
  changeResource,
  createResource,
  type Find,
  type ListOptions,
  listResources,
  type NewResource,
  showResource,
  withListOptions,
} from './resource-verbs.ts'

interface CreateOptions extends Omit<NewResource, 'template'> {
  every: { interval_value: number; interval_unit: string }
  location?: string[]
}

/** Fields with an option of their own. The URL is an argument, and `--location` and `--every` are shorter than the fields that they answer. */
const answered: readonly CheckField[] = [...websiteFields.filter(field => field !== url), failureMode, confirmAfter, recoverAfter]

/** Returns the options, with those of fields among the answers. */
function withAnswers<O extends { meta?: string[] }>(options: O): O {
  const pairs = pairsOfOptions(answered, options)
  return pairs.length === 0 ? options : { ...options, meta: [...(options.meta ?? []), ...pairs] }
}

const named = ['<monitor>', 'its id, key or name'] as const

export function addMonitorCommands(program: Command): void {
  const verb = addApiNoun(program, 'monitor', `website monitors: Resources of ${template}`)
  const create = verb('create', 'check a website; the key of the monitor alone is on standard output')
    .argument('<name>', 'what it is called')
    .argument('<website>', 'the URL that is checked')
    .addOption(
      new Option('--every <interval>', 'how often, such as 5m or 1h')
        .argParser(readInterval)
        .default(usualInterval, `${usualInterval.interval_value}m`),
    )
    .option('--location <location>', 'where it is checked from, by id or name; several times for several (default: all)', collect)
    .option('--key <key>', 'its key (default: made of the name)')
    .option('--meta <field=value>', 'an answer by the key of its field, such as statuses=200,204', collect)
    .option('--label <key=value>', 'a label; may be given several times', collect)
    .action(createMonitor)
  withFieldOptions(create, answered)
  withListOptions(verb('list', 'monitors, with the open Incident of each'))
    .option('--meta <field=value>', 'only those with this answer; at most five', collect)
    .action((options: ListOptions) => listResources({ ...options, template }, { kind: checkedKind, template }))
  verb('figures', 'response time and uptime of monitors, in the order of the dashboard')
    .argument('[monitor]', 'its id, key or name (default: all)')
    .action(printFigures)
  verb('show', 'one monitor as it reads now')
    .argument(...named)
    .action((one: string, options: ApiOptions) => showResource(one, options, monitorOf))
  const change = verb('change', 'change name, answers or labels, and leave the rest')
    .argument(...named)
    .option('--name <name>', 'another name')
    .option('--meta <field=value>', 'an answer, such as url=https://example.com; nothing behind the = takes the default', collect)
    .option('--location <location>', 'where it is checked from now on, by id or name; several times for several', collect)
    .option('--label <key=value>', 'a label; nothing behind the = takes it away', collect)
    .action(changeMonitor)
  withFieldOptions(change, answered)
  verb('archive', 'end a monitor for good')
    .argument(...named)
    .action((one: string, options: ApiOptions) => archiveResource(one, options, monitorOf))
}

/** Finds a website monitor. Another Resource is no monitor, even if its key or name fits. */
const monitorOf: Find = async (api, workspaceId, wanted) => {
  const found = await resourceOf(api, workspaceId, wanted)
  if (found.template === template) return found
  throw notFoundError(`There is no monitor "${wanted}", but a Resource: ./watchkeeper resource show shows it.`)
}

async function createMonitor(name: string, website: string, { every, ...options }: CreateOptions): Promise<void> {
  await createResource(name, { ...withAnswers(options), template }, async ({ api }) => ({
    url: website,
    locations: await locationIds(api, options.location),
    ...every,
  }))
}

const changeMonitor = (named: string, { location, ...options }: ChangeOptions & { location?: string[] }): Promise<void> =>
  changeResource(
    named,
    withAnswers(options),
    location && (async ({ api }) => ({ locations: await locationIds(api, location) })),
    monitorOf,
  )

function readInterval(text: string): CreateOptions['every'] {
  const [, value, unit] = /^(\d{1,4})(m|h)$/.exec(text) ?? []
  if (value === undefined) throw new InvalidArgumentError('It must be minutes or hours, such as 5m or 1h.')
  return { interval_value: Number(value), interval_unit: unit === 'h' ? 'HOUR' : 'MINUTE' }
}
