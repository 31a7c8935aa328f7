// Checks of commands in documents: cited scripts exist in package.json, and cited `./watchkeeper` commands exist. Reads only code (fenced
// blocks and back-ticks). In all other text, only the spelling of `./watchkeeper` is checked.
import { readFileSync } from 'node:fs'
import type { Command, Option } from 'commander'
import { createProgram } from '../cli/program.ts'

const program = await createProgram()

/** Returns the cited commands that do not exist or do not accept their arguments. */
export function missingCommands(text: string): string[] {
  const code = codeOf(text)
  const scripts = [...code.matchAll(/\bnpm run ([\w:-]+)/g)].filter(([, name = '']) => !(name in npmScripts()))
  const cited = [...code.matchAll(/\.\/watchkeeper\b(.*)/g)].map(([, rest = '']) => rest)
  const missing = cited.flatMap(rest => commandsOf(rest)).filter(words => !isTaken(words))
  return [...scripts.map(([script]) => script), ...missing.map(words => ['./watchkeeper', ...words].join(' '))]
}

/** Returns the code of a text, with a separator between blocks. A line that ends in a backslash is joined with the next line. */
const codeOf = (text: string): string =>
  [...text.matchAll(/```[^\n]*\n([\s\S]*?)```|`([^`\n]+)`/g)]
    .map(([, block, quoted]) => block ?? quoted ?? '')
    .join('\n;\n')
    .replace(/\\\n\s*/g, '')

const npmScripts = (): Record<string, string> =>
  (JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: Record<string, string> }).scripts

/** Returns the words that follow `./watchkeeper`, up to syntax of the shell such as `2>`. A part in angle brackets is one word. */
function commandsOf(rest: string): string[][] {
  const line = (rest.replace(/<[^<>]*>/g, 'word').split('./watchkeeper')[0] ?? '').replace(/ \d>/g, ' >')
  const [command = ''] = /^(?:'[^']*'|"[^"]*"|[^|>;&)#"'])*/.exec(line) ?? []
  return [
    [...command.matchAll(/'([^']*)'|"([^"]*)"|([^\s]+)/g)].map(([, single, double, bare]) => single ?? double ?? bare ?? ''),
  ]
}

/** Returns true if `./watchkeeper` accepts these words. A command may be cited without its arguments. */
function isTaken(words: readonly string[]): boolean {
  if (words[0] === 'help') return true
  let command: Command = program
  let at = 0
  for (let next = subcommand(command, words[at]); next; next = subcommand(command, words[at])) {
    command = next
    at += 1
  }
  let given = 0
  for (; at < words.length; at++) {
    const word = words[at] ?? ''
    // Words after `--` are a command that `./watchkeeper` runs, so they are not checked.
    if (word === '--') return isVariadic(command) && at + 1 < words.length
    const option = word.startsWith('-') ? optionOf(command, word) : null
    if (option === undefined) return false
    if (option === null) given += 1
    else if (option.variadic) while (at + 1 < words.length && !words[at + 1]?.startsWith('-')) at += 1
    else if (option.required) at += 1
  }
  const taken = command.registeredArguments
  return given <= taken.length && (given === 0 || given >= taken.filter(argument => argument.required).length)
}

const isVariadic = (command: Command): boolean => command.registeredArguments.some(argument => argument.variadic)

const subcommand = (command: Command, word: string | undefined): Command | undefined =>
  command.commands.find(one => one.name() === word)

const optionOf = (command: Command, word: string): Option | undefined =>
  command
    .createHelp()
    .visibleOptions(command)
    .find(option => option.long === word || option.short === word)

/** Returns lines that spell `./watchkeeper …` in another way. Other spellings work only in some folders, or fetch a foreign package. */
export function otherSpellings(text: string): string[] {
  const nouns = program.commands.map(command => command.name()).join('|')
  const bare = new RegExp(`(?<![\\w./-])watchkeeper(?: --)? (?:${nouns})\\b(?!['"])`)
  const fetching = /\b(?:npx|npm (?:run|exec|x))\b[^;|]*\bwatchkeeper\b/
  return text
    .split('\n')
    .flatMap((line, index) => (bare.test(line) || fetching.test(line) ? [`${index + 1}: ${line.trim().slice(0, 120)}`] : []))
}
