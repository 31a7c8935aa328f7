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
