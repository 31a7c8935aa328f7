// `watchkeeper workspace add|list|rename`: workspaces of the running installation.
import type { Command } from 'commander'
import { allPages } from '#shared/all-pages.ts'
import { idLength, randomId } from '#shared/ids.ts'
import { ownerUsername } from '#shared/owner-username.ts'
import { userOf, workspaceOf } from './look-up.ts'
import { day, instant, printJson, printTable } from './printing.ts'
import { withInstallation } from './running-installation.ts'

interface WorkspaceOptions {
  json?: boolean
  owner?: string
}

export function addWorkspaceCommands(program: Command): void {
  const workspace = program.command('workspace').description('workspaces of the running installation')
  const json = ['--json', 'answer JSON, for machines'] as const
  workspace
    .command('add')
    .description('make a workspace')
    .argument('<name>', 'what it is called')
    .option('--owner <username>', 'who owns it (default: the owner of the installation)')
    .option(...json)
    .action(addWorkspace)
  workspace
    .command('list')
    .description('all workspaces')
    .option(...json)
    .action(listWorkspaces)
  workspace
    .command('rename')
    .description('call a workspace something else')
    .argument('<workspace>', 'its id or its name')
    .argument('<name>', 'the new name')
    .option(...json)
    .action(renameWorkspace)
}

async function addWorkspace(name: string, options: WorkspaceOptions): Promise<void> {
  const made = await withInstallation(async ask => {
    const { id: userId } = await userOf(ask, options.owner ?? ownerUsername)
    return ask('create-workspace', { id: randomId(idLength.workspace), name, userId })
  })
  if (options.json) return printJson({ id: made.id, name: made.name })
  console.log(`Workspace ${made.id} is made: ${made.name}.`)
}

async function listWorkspaces(options: WorkspaceOptions): Promise<void> {
  const all = await withInstallation(ask => allPages(after => ask('list-all-workspaces', { after })))
  if (options.json) {
    return printJson(all.map(({ id, name, members, createdAt }) => ({ id, name, members, created_at: instant(createdAt) })))
  }
  printTable(
    ['id', 'members', 'made', 'name'],
    all.map(({ id, name, members, createdAt }) => [id, String(members), day(createdAt), name]),
  )
}

async function renameWorkspace(named: string, name: string, options: WorkspaceOptions): Promise<void> {
  const renamed = await withInstallation(async ask => {
    const { id: workspaceId } = await workspaceOf(ask, named)
    return ask('rename-workspace', { workspaceId, name })
  })
  if (options.json) return printJson(renamed)
  console.log(`Workspace ${renamed.id} is called ${renamed.name} now.`)
}
