// `./watchkeeper workspace create|list|rename|delete`: workspaces of the running installation.
import type { Command } from 'commander'
import { allPages } from '#shared/async/pages.ts'
import { countedContents } from '#shared/text/counted.ts'
import { idLength, randomId } from '#shared/text/ids.ts'
import { ownerUsername } from '#shared/tokens/owner-username.ts'
import { userOf, workspaceOf } from '../installation/look-up.ts'
import { withInstallation } from '../installation/running-installation.ts'
import { addNoun, type JsonOption } from '../noun.ts'
import { day, instant, printJson, printMade, printTable, say } from '../terminal/printing.ts'

interface WorkspaceOptions extends JsonOption {
  owner?: string
  force?: boolean
}

export function addWorkspaceCommands(program: Command): void {
  const verb = addNoun(program, 'workspace', 'workspaces: what is watched together, and who may see it')
  verb('create', 'make a workspace; its id alone is on standard output')
    .argument('<name>', 'what it is called')
    .option('--owner <user>', 'who owns it (default: the owner of the installation)')
    .action(createWorkspace)
  verb('list', 'all workspaces').action(listWorkspaces)
  verb('rename', 'call a workspace something else')
    .argument('<workspace>', 'its id or its name')
    .argument('<name>', 'the new name')
    .action(renameWorkspace)
  verb('delete', 'delete a workspace with all that is in it, for good')
    .argument('<workspace>', 'its id or its name')
    .option('--force', 'also where there is something in it')
    .action(deleteWorkspace)
}

async function createWorkspace(name: string, options: WorkspaceOptions): Promise<void> {
  const made = await withInstallation(async ask => {
    const { id: userId } = await userOf(ask, options.owner ?? ownerUsername)
    return ask('create-workspace', { id: randomId(idLength.workspace), name, userId })
  })
  if (options.json) return printJson({ id: made.id, name: made.name })
  printMade(made.id, `Workspace "${made.name}" is made. Its id:`)
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
  say(`Workspace ${renamed.id} is called "${renamed.name}" now.`)
}

async function deleteWorkspace(named: string, options: WorkspaceOptions): Promise<void> {
  const { id, name, ...had } = await withInstallation(async ask => {
    const { id: workspaceId } = await workspaceOf(ask, named)
    return ask('delete-workspace', { id: randomId(idLength.key), workspaceId, force: options.force ?? false })
  })
  if (options.json) return printJson({ id, name, ...had })
  say(`Workspace ${id} ("${name}") is deleted. It had ${countedContents(had)}.`)
}
