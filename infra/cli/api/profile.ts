// `./watchkeeper profile set|list|show|delete`: addresses and keys of installations, in a file that only the user can read. A key is read
// from standard input and never printed.
import type { Command } from 'commander'
import { exitCodes, StartError, usageError } from '../../runtime/start-error.ts'
import { addNoun, type JsonOption } from '../noun.ts'
import { readSecret } from '../people/read-password.ts'
import { printJson, printTable, say } from '../terminal/printing.ts'
import { type Workspace, workspaceOf } from './look-up-api.ts'
import { defaultProfile, type Profile, profileFile, readProfiles, writeProfiles } from './profiles.ts'
import { withApiAt } from './with-api.ts'

interface SetOptions extends JsonOption {
  url?: string
  workspace?: string
  force?: boolean
}

export function addProfileCommands(program: Command): void {
  const verb = addNoun(program, 'profile', 'addresses and keys of installations, for commands from anywhere')
  const name = ['[name]', 'which profile', defaultProfile] as const
  verb('set', 'make a profile, or change it; the key is typed or comes from standard input')
    .argument(...name)
    .option('--url <url>', 'where the API is served, such as https://watch.example.com; then a key is read')
    .option('--workspace <workspace>', 'the workspace of commands that name none; an empty one: none')
    .option('--force', 'keep it without asking the API')
    .action(setProfile)
  verb('list', 'all profiles, without their keys').action(listProfiles)
  verb('show', 'one profile, without its key')
    .argument(...name)
    .action(showProfile)
  verb('delete', 'delete a profile; its key goes on working')
    .argument(...name)
    .action(deleteProfile)
}

async function setProfile(name: string, options: SetOptions): Promise<void> {
  if (!/^[\w.@-]{1,64}$/.test(name)) throw usageError('A profile has a name of 1 to 64 letters, digits, ".", "_", "@" and "-".')
  const profiles = await readProfiles()
  const before = profiles.get(name)
  if (options.url === undefined && before === undefined) throw usageError(`There is no profile "${name}" yet: say its --url.`)
  const place =
    options.url === undefined && before !== undefined
      ? { url: before.url, key: before.key }
      : { url: options.url ?? '', key: await readSecret('key') }
  const workspace = await workspaceIn(place, options, before)
  profiles.set(name, { ...place, workspace: workspace?.id ?? null })
  await writeProfiles(profiles)
  if (options.json) return printJson({ name, url: place.url, workspace: workspace?.id ?? null })
  say(`Profile "${name}" is kept in ${profileFile()}${workspace === null ? '' : `, with workspace "${workspace.name}"`}.`)
}

/** Tests the profile by a request to the API, so that only working profiles are stored. */
async function workspaceIn(
  place: { url: string; key: string },
  { workspace, force }: SetOptions,
  before: Profile | undefined,
): Promise<Pick<Workspace, 'id' | 'name'> | null> {
  const named = workspace === '' ? undefined : workspace
  const kept = workspace === undefined && before !== undefined && before.url === place.url ? before.workspace : null
  if (force) return (named ?? kept) === null ? null : { id: named ?? kept ?? '', name: named ?? kept ?? '' }
  return withApiAt({ ...place, workspace: null, renew: null }, async api => {
    await api.read('/key')
    const wanted = named ?? kept
    return wanted == null ? null : workspaceOf(api, wanted)
  })
}

async function listProfiles(options: JsonOption): Promise<void> {
  const all = [...(await readProfiles())].map(readable)
  if (options.json) return printJson(all)
  printTable(
    ['name', 'url', 'workspace'],
    all.map(({ name, url, workspace }) => [name, url, workspace ?? '']),
  )
}

async function showProfile(name: string, options: JsonOption): Promise<void> {
  const { url, workspace } = readable([name, required(await readProfiles(), name)])
  if (options.json) return printJson({ name, url, workspace })
  say(`Profile "${name}": ${url}, ${workspace === null ? 'no workspace' : `workspace ${workspace}`}.`)
}

async function deleteProfile(name: string, options: JsonOption): Promise<void> {
  const profiles = await readProfiles()
  required(profiles, name)
  profiles.delete(name)
  await writeProfiles(profiles)
  if (options.json) return printJson({ name })
  say(`Profile "${name}" is deleted.`)
}

function required(profiles: ReadonlyMap<string, Profile>, name: string): Profile {
  const profile = profiles.get(name)
  if (profile !== undefined) return profile
  throw new StartError(`There is no profile "${name}": ./watchkeeper profile list shows them.`, exitCodes.notFound)
}

const readable = ([name, { url, workspace }]: [string, Profile]) => ({ name, url, workspace })
