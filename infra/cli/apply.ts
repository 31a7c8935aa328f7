// `./watchkeeper apply`: makes a workspace what the files of a folder say. Everything is checked before anything is written.
import type { Command } from 'commander'
import type { ApplyOptions } from './apply-folder.ts'
import { ofWorkspace, overApi } from './noun.ts'

export function addApplyCommand(program: Command): void {
  const command = program
    .command('apply')
    .description('make a workspace what the files of a folder say; a second run changes nothing')
    .argument('<folder>', 'with .yaml, .yml or .json files, or one such file')
    .option('--dry-run', 'check and compare, and write nothing')
    .option('--prune', 'delete what no file names; Resources are archived, Templates stay')
  // Loaded by the run alone: the parser of YAML takes its time.
  overApi(command)
    .option(...ofWorkspace)
    .action(async (folder: string, options: ApplyOptions) => (await import('./apply-folder.ts')).applyFolder(folder, options))
}
