// `./watchkeeper watch <what> <target>`: a monitor with any kind of check, in one line. Its parts also serve `check try`.
import { Argument, type Command, InvalidArgumentError, Option } from 'commander'
import type { CheckKind } from '#shared/checks/check-kind.ts'
import { fieldsOf, offeredKinds } from '#shared/checks/registry.ts'
import { intervalSeconds, locations } from '#shared/checks/watch-fields.ts'
import { usageError } from '../../runtime/start-error.ts'
import { locationIds } from '../api/look-up-api.ts'
import type { Api } from '../api/with-api.ts'
import { type ApiOptions, collect, ofWorkspace, overApi } from '../noun.ts'
import { valueOfSecret } from '../secret-value.ts'
import { createResource } from './resource-verbs.ts'

/** Options of a command that answers the fields of a kind. */
export interface CheckOptions extends ApiOptions {
  every?: number
  location?: string[]
  set?: string[]
}

interface WatchOptions extends CheckOptions {
  name?: string
  key?: string
  label?: string[]
}

const secondsOf: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600, d: 86_400 }

export function addWatchCommand(program: Command): void {
  const command = overApi(program.command('watch').option(...ofWorkspace))
  command.description('watch a website, certificate, port, name or host; the key of the monitor alone is on standard output')
  withCheckOptions(command)
    .option('--name <name>', 'what it is called (default: the target)')
    .option('--key <key>', 'its key (default: made of the name)')
    .addOption(
      new Option('--every <interval>', 'how often, such as 30s, 5m or 1h (default: as the kind has it)').argParser(readSeconds),
    )
    .option('--label <key=value>', 'a label; may be given several times', collect)
    .action((word: string, target: string, { name = target, ...options }: WatchOptions) => {
      const kind = kindNamed(word)
      const made = { ...options, template: templateOf(kind), meta: pairsOf(kind, options.set) }
      return createResource(name, made, ({ api }) => answersOf(api, kind, target, options))
    })
}

/** Adds the arguments and options by which a check is stated. */
export const withCheckOptions = (command: Command): Command =>
  command
    .addArgument(new Argument('<what>', 'kind of the check').choices(offeredKinds().map(wordOf)))
    .argument('<target>', 'such as https://example.com/, example.com, db.example.com:5432 or 192.0.2.1')
    .option('--location <location>', 'where it is checked from, by id or name; several times for several (default: all)', collect)
    .option('--set <option=value>', 'an option of the kind (check kinds lists them); a secret as option=env:<VARIABLE>', collect)

/** The word for a kind on the command line is the key of its Template without its last part. */
const wordOf = (kind: CheckKind): string => templateOf(kind).replace(/-check$/, '')

export const kindNamed = (word: string): CheckKind => offeredKinds().find(kind => wordOf(kind) === word) as CheckKind

/** Returns the key of a kind's Template, which means its highest version. */
export const templateOf = ({ key, templates }: CheckKind): string => templates.at(-1)?.key ?? key

/** Returns answers to the fields that the target, the Locations and the interval state. Throws a StartError. */
export async function answersOf(
  api: Api,
  kind: CheckKind,
  target: string,
  { location, every }: CheckOptions,
): Promise<Record<string, unknown>> {
  const [first] = kind.fields
  const typed = kind.typed === undefined ? { [first?.key ?? '']: target } : kind.typed(target)
  if (typed === null)
    throw usageError(`"${target}" is no target of ${wordOf(kind)}: ./watchkeeper check kinds lists what it needs.`)
  const interval = every === undefined ? {} : { [intervalSeconds.key]: every }
  return { ...typed, [locations.key]: await locationIds(api, location), ...interval }
}

/** Returns the pairs of `--set` with the values of secrets. Throws a StartError for a secret that is written out. */
export function pairsOf(kind: CheckKind, pairs: readonly string[] = []): string[] {
  const secrets = new Set(fieldsOf(kind).flatMap(({ key, secret }) => (secret ? [key] : [])))
  return pairs.map(pair => {
    const [, key = '', value = ''] = /^([^=]+)=([\s\S]*)$/.exec(pair) ?? []
    return secrets.has(key) ? `${key}=${valueOfSecret(`--set ${key}=`, key, value)}` : pair
  })
}

function readSeconds(text: string): number {
  const [, count, unit = ''] = /^(\d{1,5})([smhd])$/.exec(text) ?? []
  if (count !== undefined) return Number(count) * (secondsOf[unit] ?? 1)
  throw new InvalidArgumentError('It must be seconds, minutes, hours or days, such as 30s, 5m or 1h.')
}
