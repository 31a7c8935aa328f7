// Words that a shell offers at each position of a command line, taken from the tree of commands.
import type { Command, Option } from 'commander'

/** Possible words at one position of a command line: words with meanings, or a path of the file system. */
export interface Candidates {
  words: { word: string; meaning: string }[]
  isPath: boolean
}

export interface CompletionTree {
  /** Paths of all commands, such as ` key create`. */
  commands: string[]
  /** All options that take a value. The command's path stands before the option, as in ` key create --user`. */
  valued: string[]
  /**
   * Candidates by position. ` key #0` is the position of the first word after `key` that is no option. ` key create -` is the position of
   * an option of the command. ` key create --user` is the position of the value of `--user`. Positions without candidates are omitted.
   */
  places: Map<string, Candidates>
}

export function completionTree(program: Command): CompletionTree {
  const tree: CompletionTree = { commands: [], valued: [], places: new Map() }
  addCommand(tree, program, '')
  return tree
}

function addCommand(tree: CompletionTree, command: Command, path: string): void {
  const options = command.createHelp().visibleOptions(command)
  tree.places.set(`${path} -`, { words: options.flatMap(wordOf), isPath: false })
  for (const option of options.filter(takesValue)) {
    const place = `${path} ${option.long}`
    tree.valued.push(place)
    addPlace(tree, place, option.argChoices, option.flags)
  }
  for (const [i, argument] of command.registeredArguments.entries())
    addPlace(tree, `${path} #${i}`, argument.argChoices, `<${argument.name()}>`)
  if (command.commands.length > 0) {
    const words = command.commands.map(one => ({ word: one.name(), meaning: one.description() }))
    tree.places.set(`${path} #0`, { words, isPath: false })
  }
  for (const one of command.commands) {
    tree.commands.push(`${path} ${one.name()}`)
    addCommand(tree, one, `${path} ${one.name()}`)
  }
}

function addPlace(tree: CompletionTree, place: string, choices: readonly string[] | undefined, flags: string): void {
  const isPath = /<(file|folder)>/.test(flags)
  if (isPath || choices !== undefined)
    tree.places.set(place, { words: (choices ?? []).map(word => ({ word, meaning: '' })), isPath })
}

const takesValue = (option: Option): boolean => option.required || option.optional

const wordOf = ({ long, description }: Option) => (typeof long === 'string' ? [{ word: long, meaning: description }] : [])
