// Page docs/commands.md, generated from the declared commands. Run as a program, this file writes the page. A test checks that the page is
// up to date.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Command } from 'commander'
import { apiFlags } from '../cli/noun.ts'
import { createProgram } from '../cli/program.ts'
import { exitCodeMeanings } from '../runtime/start-error.ts'

const nounsOverApi =
  '`resource`, `monitor`, `check`, `template`, `observe`, `incident`, `events`, `destination`, `maintenance`, `address`, `location`, `prober`,\n' +
  '  `user`, `health`, `apply`, `export`, `audit` and `status`'

const head = `# Commands

Every command is \`./watchkeeper\`, typed in the folder of the program. This page is generated from the declared commands (\`npm run docs\`);
\`--help\` after a command prints the same.

- **Where.** Commands use the installation that runs on this machine with the data folder \`.data\`; set \`DATA_DIR\` for another folder. They need
  no key: a person who may read the data folder may run all of them. The first command makes a key of the owner and stores it there.
- **From another machine.** ${nounsOverApi}
  use generation 3 of the API. Address and key come from \`--url\` and \`--profile\`, else from \`WATCHKEEPER_URL\` and
  \`WATCHKEEPER_API_KEY\`, else from the profile \`default\`, else from this machine. A profile has address, key and workspace:
  \`./watchkeeper profile set <name> --url <url>\` reads the key from standard input. The other commands use the bus: set \`NATS_URL\` and its
  credentials.
- **From another folder.** A link works from anywhere: \`ln -s "$PWD/watchkeeper" ~/.local/bin/watchkeeper\`. Then set \`DATA_DIR\` to the whole
  path.
- **Names.** A name is accepted in place of an id. The command looks for the id, then for the exact name, then for the only name that is equal
  in any case. An ambiguous name is refused with the ids of both objects. A key, an address and a prober's credentials are named by their
  descriptions, a person by the username, an open Incident by its Resource.
- **Scripts.** \`--json\` prints the objects of the API. Without it, \`create\` prints on standard output only the value that a script needs next
  (an id, a token, the credentials of a prober), and a sentence on standard error. So
  \`workspace=$(./watchkeeper workspace create "Web shop")\` has the id.
- **No questions.** No command asks a question. A command that would remove more than it names lists the losses and is refused without
  \`--force\`.

## Exit codes

| code | meaning |
|---|---|
`

const completion = `
## Completion in the shell

The shell completes commands, options and their values, for \`./watchkeeper\` and for a link named \`watchkeeper\`. In this shell only:

\`\`\`sh
source <(./watchkeeper completion bash)
\`\`\`

In every shell: store the script by \`./watchkeeper completion bash > ~/.watchkeeper-completion\`, and add
\`source ~/.watchkeeper-completion\` to \`~/.bashrc\`. For zsh use \`completion zsh\` and \`~/.zshrc\`, after \`compinit\`; or store it as
\`_watchkeeper\` in a folder of \`fpath\`.
`

export async function commandsPage(): Promise<string> {
  const program = await createProgram()
  const codes = Object.entries(exitCodeMeanings).map(([code, meaning]) => `| ${code} | ${cell(meaning)} |`)
  const [nouns, others] = [program.commands.filter(isNoun), program.commands.filter(command => !isNoun(command))]
  const parts = [...nouns.map(noun => section(noun.name(), noun.description(), noun.commands)), section('Others', '', others)]
  return [`${head}${codes.join('\n')}\n`, ...parts].join('\n') + completion
}

const isNoun = (command: Command): boolean => command.commands.length > 0

function section(title: string, meaning: string, commands: readonly Command[]): string {
  const intro = meaning === '' ? [] : [`${meaning[0]?.toUpperCase()}${meaning.slice(1)}.`, '']
  return [`## ${title}`, '', ...intro, '| command | meaning |', '|---|---|', ...commands.flatMap(rows), ''].join('\n')
}

/**
 * Returns the rows of a command: its arguments and its own options. Options that all commands share have no row, nor have options that all
 * commands over the API share.
 */
function rows(command: Command): string[] {
  const help = command.createHelp()
  const visible = help.visibleOptions(command)
  const isOverApi = apiFlags.every(flag => visible.some(({ long }) => long === flag))
  const passedOver = isOverApi ? [...ofAll, ...apiFlags] : ofAll
  const options = visible.filter(({ long }) => !passedOver.includes(long ?? ''))
  const usage = [
    pathOf(command),
    ...command.registeredArguments.map(argument => help.argumentTerm(argument)).map(bracketed(command)),
  ]
  const chosen = command.registeredArguments.filter(argument => argument.argChoices !== undefined)
  return [
    `| \`${usage.join(' ')}\` | ${cell(command.description())} |`,
    ...chosen.map(argument => `| &nbsp; \`<${argument.name()}>\` | ${argument.argChoices?.join(', ')} |`),
    ...options.map(option => `| &nbsp; \`${option.flags}\` | ${cell(help.optionDescription(option))} |`),
  ]
}

const ofAll = ['--json', '--help']

const bracketed = (command: Command) => (name: string, i: number) =>
  command.registeredArguments[i]?.required ? `<${name}>` : `[${name}]`

const pathOf = (command: Command): string => (command.parent ? `${pathOf(command.parent)} ${command.name()}` : command.name())

const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll('<', '&lt;')

if (process.argv[1] === import.meta.filename) {
  writeFileSync(join(import.meta.dirname, '..', '..', 'docs', 'commands.md'), await commandsPage())
}
