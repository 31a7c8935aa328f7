// The API of the installation on this machine, reached without set-up: its address and a key of its owner are kept in the data folder. A key
// that is refused is replaced by a new one, which the directory is asked for over the bus.
import { readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { readApiAddress } from '../embedded/api-address.ts'
import { programSettings } from '../embedded/settings.ts'
import { exitCodes, StartError } from '../embedded/start-error.ts'

export interface ApiPlace {
  url: string
  key: string
  /** The id of the workspace that a profile remembers. */
  workspace: string | null
  /** Makes another key if this one is refused; null: nobody can. */
  renew: (() => Promise<string>) | null
}

/** As `./watchkeeper key list` shows it. */
const description = 'command line on this machine'

/** Uses `key` instead of the kept one if it is given. Throws a StartError if nothing runs on the data folder. */
export async function findLocalApi(key: string | undefined): Promise<ApiPlace> {
  const folder = resolve(process.env['DATA_DIR'] || programSettings.DATA_DIR.default)
  const url = await localUrl(folder)
  if (key !== undefined) return { url, key, workspace: null, renew: null }
  const renew = () => makeKey(folder)
  return { url, key: (await keptKey(folder)) ?? (await renew()), workspace: null, renew }
}

async function localUrl(folder: string): Promise<string> {
  const kept = await readApiAddress(folder).catch(error => {
    throw new StartError(error.message, exitCodes.notRunning)
  })
  if (kept !== null) return kept
  // A bus that is named is that of an installation in several processes, whose gateway may have no data folder.
  if (process.env['NATS_URL']) {
    const { readAllSettings } = await import('../embedded/all-settings.ts')
    const { HOST, PORT } = readAllSettings(process.env)
    const { reachable } = await import('../embedded/services.ts')
    return `http://${reachable(HOST)}:${PORT}`
  }
  const advice = 'start it, set DATA_DIR, or name another machine by WATCHKEEPER_URL and WATCHKEEPER_API_KEY'
  throw new StartError(
    `Watchkeeper can't be reached (nothing runs on the data folder ${folder}): ${advice}.`,
    exitCodes.notRunning,
  )
}

const keyFile = (folder: string) => join(folder, 'command-line-key')

async function keptKey(folder: string): Promise<string | null> {
  const text = await readFile(keyFile(folder), 'utf8').catch(({ code }: NodeJS.ErrnoException) => {
    if (code === 'ENOENT' || code === 'ENOTDIR') return ''
    throw new StartError(`The file ${keyFile(folder)} can't be read (${code}): the user that runs Watchkeeper can.`)
  })
  return text.trim() === '' ? null : text.trim()
}

/** Of the owner of the installation. */
async function makeKey(folder: string): Promise<string> {
  const { withInstallation } = await import('./running-installation.ts')
  const { hashToken, makeToken, tokenPrefix } = await import('#shared/api-token.ts')
  const { idLength, randomId } = await import('#shared/ids.ts')
  const { ownerUsername } = await import('#shared/owner-username.ts')
  const { makeFolder, writeSecretFile } = await import('../embedded/data-folder.ts')
  const { userOf } = await import('./look-up.ts')
  const token = makeToken()
  await withInstallation(async ask => {
    const { id: userId } = await userOf(ask, ownerUsername)
    const secret = { tokenHash: hashToken(token), prefix: tokenPrefix(token) }
    return ask('create-key', { id: randomId(idLength.key), userId, description, ...secret })
  })
  try {
    await makeFolder(folder)
    await writeSecretFile(keyFile(folder), `${token}\n`)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw new StartError(`The file ${keyFile(folder)} can't be written (${code}): correct the rights of that folder.`)
  }
  return token
}
