// Declaration of a noun's verbs on the command line. A noun has those of the verbs `create`, `list` and `delete` that make sense for its
// objects. Every verb has `--json`, and accepts names in place of ids (look-up.ts).
import { type Command, InvalidArgumentError, Option } from 'commander'

export interface JsonOption {
  json?: boolean
}

/** Returns a function that declares a verb of the noun. */
export function addNoun(program: Command, name: string, description: string): Verb {
  const noun = program.command(name).description(description)
  return (verb, meaning) => noun.command(verb).description(meaning).option('--json', 'print JSON, for scripts')
}

/** Option of nouns that belong to a workspace. */
export const inWorkspace = ['--workspace <workspace>', 'its id or its name (default: the only one there is)'] as const

/** Options of every verb that uses generation 3 of the API. */
export interface ApiOptions extends JsonOption {
  url?: string
  profile?: string
  workspace?: string
}

type Verb = (verb: string, description: string) => Command

/** Like `addNoun`, for nouns of generation 3 of the API that belong to a workspace. */
export function addApiNoun(program: Command, name: string, description: string): Verb {
  const addVerb = addInstallationNoun(program, name, description)
  return (verb, meaning) => addVerb(verb, meaning).option(...ofWorkspace)
}

/** Like `addNoun`, for nouns of generation 3 of the API that belong to the installation. */
export function addInstallationNoun(program: Command, name: string, description: string): Verb {
  const noun = program.command(name).description(description)
  return (verb, meaning) => overApi(noun.command(verb).description(meaning))
}

/** Options that docs/commands.md describes once for all commands. */
export const apiFlags = ['--url', '--profile']

export const overApi = (command: Command): Command =>
  command
    .option('--json', 'print JSON, for scripts')
    .option('--url <url>', 'where the API is served (default: WATCHKEEPER_URL, the profile, or this machine)')
    .option('--profile <name>', 'the profile that has address, key and workspace (default: default)')

export const ofWorkspace = [
  '--workspace <workspace>',
  'its id or its name (default: that of the profile, or the only one)',
] as const

/** Returns an option whose value is `yes` or `no`. */
export const yesOrNo = (flags: string, meaning: string) => new Option(flags, meaning).choices(['yes', 'no'])

/** Returns a parser for an option whose value is a whole number. */
export const wholeNumber =
  (least: number, most: number) =>
  (text: string): number => {
    const number = /^\d{1,5}$/.test(text) ? Number(text) : -1
    if (number >= least && number <= most) return number
    throw new InvalidArgumentError(`It must be ${least} to ${most}.`)
  }

/** Collects the values of an option that may be repeated. */
export const collect = (value: string, before: string[] = []): string[] => [...before, value]
