// `./watchkeeper machines`: every state machine as a Mermaid diagram and as JSON for the Stately editor. Needs no running installation.
import { writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { Argument, type Command } from 'commander'
import { machines, mermaid, statelyJson } from '#machines/drawings.ts'
import { makeFolder } from '../runtime/data/data-folder.ts'
import { exitCodes, StartError, usageError } from '../runtime/start-error.ts'
import { printJson } from './terminal/printing.ts'

interface MachinesOptions {
  out?: string
  json?: boolean
}

export function addMachinesCommand(program: Command): void {
  program
    .command('machines')
    .description('draw the state machines: Mermaid, and JSON for the Stately editor')
    .addArgument(new Argument('[name]', 'only this one').choices(Object.keys(machines)))
    .option('--out <folder>', 'write <name>.mmd and <name>.json there (default: Mermaid on standard output)')
    .option('--json', 'print JSON, for scripts: the Stately form of each')
    .action(draw)
}

async function draw(name: string | undefined, options: MachinesOptions): Promise<void> {
  // An unset variable in a script makes the name empty. Without this refusal, the files would be written into the current folder.
  if (options.out === '') throw usageError('--out needs the name of a folder.')
  const drawn = Object.entries(machines).filter(([known]) => name === undefined || known === name)
  if (options.out !== undefined) await write(drawn, options.out)
  if (options.json)
    return printJson(Object.fromEntries(drawn.map(([known, machine]) => [known, JSON.parse(statelyJson(machine))])))
  if (options.out === undefined) for (const [known, machine] of drawn) console.log(`%% ${known}\n${mermaid(machine)}`)
  else console.log(drawn.map(([known]) => `${known}.mmd ${known}.json`).join('\n'))
}

async function write(drawn: [string, (typeof machines)[string]][], folder: string): Promise<void> {
  try {
    // All users of the machine may read the files, because a drawing contains no secret.
    await makeFolder(resolve(folder), 0o777)
    for (const [name, machine] of drawn) {
      await writeFile(join(folder, `${name}.mmd`), mermaid(machine))
      await writeFile(join(folder, `${name}.json`), statelyJson(machine))
    }
  } catch (error) {
    throw new StartError(
      `The folder ${folder} can't be written (${(error as NodeJS.ErrnoException).code}): correct --out.`,
      exitCodes.failed,
    )
  }
}
