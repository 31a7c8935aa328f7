// How a noun of the command line declares its verbs. Every noun has `create`, `list` and `delete` where they make sense, every verb
// has `--json`, and names are taken wherever ids are (look-up.ts).
import type { Command } from 'commander'

export interface JsonOption {
  json?: boolean
}

/** Returns what declares a verb of the noun. */
export function addNoun(program: Command, name: string, description: string): (verb: string, description: string) => Command {
  const noun = program.command(name).description(description)
  return (verb, meaning) => noun.command(verb).description(meaning).option('--json', 'print JSON, for scripts')
}

/** For nouns that live in a workspace. */
export const inWorkspace = ['--workspace <workspace>', 'its id or its name (default: the only one there is)'] as const

/** Of every verb that goes over generation 3 of the API. */
export interface ApiOptions extends JsonOption {
  url?: string
  profile?: string
  workspace?: string
}

/** As `addNoun`, for nouns that generation 3 of the API serves. */
export function addApiNoun(program: Command, name: string, description: string): (verb: string, description: string) => Command {
  const noun = program.command(name).description(description)
  return (verb, meaning) => overApi(noun.command(verb).description(meaning)).option(...ofWorkspace)
}

/** The page docs/commands.md says these once for all. */
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

/** For an option that may be given several times. */
export const collect = (value: string, before: string[] = []): string[] => [...before, value]
