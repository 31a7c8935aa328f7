// `./watchkeeper apply`: changes a workspace to match the files of a folder. `./watchkeeper export`: writes a workspace as files for
// `apply`. The modules of both commands are loaded only when a command runs, because loading the YAML parser takes time.
import type { Command } from 'commander'
import { ofWorkspace, overApi } from '../noun.ts'
import type { ApplyOptions } from './apply-folder.ts'
import type { ExportOptions } from './export-folder.ts'

export function addApplyCommand(program: Command): void {
  const command = program
    .command('apply')
    .description('make a workspace what the files of a folder say; a second run changes nothing')
    .argument('<folder>', 'with .yaml, .yml or .json files, or one such file')
    .option('--dry-run', 'check and compare, and write nothing')
    .option('--prune', 'delete what no file names; Resources are archived, Templates stay')
  overApi(command)
    .option(...ofWorkspace)
    .action(async (folder: string, options: ApplyOptions) => (await import('./apply-folder.ts')).applyFolder(folder, options))
}

export function addExportCommand(program: Command): void {
  const command = program
    .command('export')
    .description('write a workspace to a folder as files for apply, which show secrets as [redacted] and no URLs of destinations')
    .argument('<folder>', 'an empty folder, or one that does not exist')
    .option('--force', 'also into a folder that holds something: files of an earlier export are replaced, others stay')
  overApi(command)
    .option(...ofWorkspace)
    .action(async (folder: string, options: ExportOptions) => (await import('./export-folder.ts')).exportFolder(folder, options))
}
