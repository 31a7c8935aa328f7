// `./watchkeeper export`: writes a workspace as files that `./watchkeeper apply` reads.
import type { Command } from 'commander'
import { ofWorkspace, overApi } from '../noun.ts'
import type { ExportOptions } from './export-folder.ts'

export function addExportCommand(program: Command): void {
  const command = program
    .command('export')
    .description('write a workspace to a folder as files for apply, without secrets and without URLs of destinations')
    .argument('<folder>', 'an empty folder, or one that does not exist')
    .option('--force', 'also into a folder that holds something: files of an earlier export are replaced, others stay')
  overApi(command)
    .option(...ofWorkspace)
    .action(async (folder: string, options: ExportOptions) => (await import('./export-folder.ts')).exportFolder(folder, options))
}
