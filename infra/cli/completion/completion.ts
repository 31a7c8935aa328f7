// `./watchkeeper completion bash|zsh`: completion scripts, made from the command tree. Names of objects are not completed, because each
// completion would start a process that sends a request to the installation.
import { Argument, type Command } from 'commander'
import { bashCompletion } from './completion-bash.ts'
import { completionTree } from './completion-tree.ts'
import { zshCompletion } from './completion-zsh.ts'

const scripts = { bash: bashCompletion, zsh: zshCompletion }
type Shell = keyof typeof scripts

export function addCompletionCommand(program: Command): void {
  program
    .command('completion')
    .description('print a completion script; to use it at once: source <(./watchkeeper completion bash)')
    .addArgument(new Argument('<shell>', 'which shell it is for').choices(Object.keys(scripts)))
    .action((shell: Shell) => console.log(scripts[shell](completionTree(program))))
}
