// `./watchkeeper apply`: changes a workspace to match the files of a folder. Everything is checked before the first write.
import type { Command } from 'commander'
import { ofWorkspace, overApi } from '../noun.ts'
import type { ApplyOptions } from './apply-folder.ts'

export function addApplyCommand(program: Command): void {
  const command = program
    .command('apply')
    .description('make a workspace what the files of a folder say; a second run changes nothing')
    .argument('<folder>', 'with .yaml, .yml or .json files, or one such file')
    .option('--dry-run', 'check and compare, and write nothing')
    .option('--prune', 'delete what no file names; Resources are archived, Templates stay')
  // Loaded only when the command runs, because loading the YAML parser takes time.
  overApi(command)
    .option(...ofWorkspace)
    .action(async (folder: string, options: ApplyOptions) => (await import('./apply-folder.ts')).applyFolder(folder, options))
}
