// docs/commands.md, from where the commands are declared. Run by itself it writes the page; a test holds the page to it.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Command } from 'commander'
import { apiFlags } from '../cli/noun.ts'
import { createProgram } from '../cli/program.ts'
import { exitCodeMeanings } from '../runtime/start-error.ts'

const nounsOverApi =
  '`resource`, `monitor`, `template`, `observe`, `incident`, `destination`, `maintenance`, `address`, `apply`, `export`, `audit` and `status`'

const head = `# Commands

Every command is \`./watchkeeper\`, typed in the folder of the program. This page is made from their declarations (\`npm run docs\`);
\`--help\` behind any of them prints the same.

- **Where.** Commands talk to the installation that runs on this machine, on the data folder \`.data\`; set \`DATA_DIR\` for another folder. They need no
  key: a person who may read the data folder may do all of this. The first command makes itself a key of the owner and keeps it there.
- **From another machine.** ${nounsOverApi} go over generation 3 of the API.
  They take \`--url\` and \`--profile\`, then \`WATCHKEEPER_URL\` and \`WATCHKEEPER_API_KEY\`, then the profile named \`default\`, then this machine. A profile keeps
  address, key and workspace: \`./watchkeeper profile set <name> --url <url>\` reads the key from standard input. The other commands go over the bus:
  set \`NATS_URL\` and its credentials for another machine.
- **From another folder.** A link works from anywhere: \`ln -s "$PWD/watchkeeper" ~/.local/bin/watchkeeper\`. Then set \`DATA_DIR\` to the whole
  path.
- **Names.** A name is taken wherever an id is: the id goes first, then the exact name, then the only name that is the same in any case. A
  name that fits two things is refused with the ids of both. A key, an address and a prober's credentials are named by their descriptions, an
  open Incident by its Resource.
- **Scripts.** \`--json\` prints JSON: the objects of the API. Without it, \`create\` prints what a script needs next alone on standard output, and its
  sentence on standard error: the id or key, the token of a key, the credentials of a prober. So \`workspace=$(./watchkeeper workspace create "Web shop")\` has the id.
- **Asking back.** Nothing does. A command that would take away more than it names is refused, says what would be gone, and takes \`--force\`.

## Exit codes

| code | meaning |
|---|---|
`

const completion = `
## Completion in the shell

Commands, options and words that they take are completed, of \`./watchkeeper\` and of a link named \`watchkeeper\`. For this shell alone:

\`\`\`sh
source <(./watchkeeper completion bash)
\`\`\`

For every shell, keep the script and read it at the start, as in \`./watchkeeper completion bash > ~/.watchkeeper-completion\` and
\`source ~/.watchkeeper-completion\` in \`~/.bashrc\`. zsh: the same with \`completion zsh\` and \`~/.zshrc\`, behind \`compinit\`; or as a file named
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

/** The command, the words that it takes, and its options without those of all or of all that go over the API. */
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
