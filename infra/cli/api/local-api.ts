// API of the installation on this machine, for commands without a URL and a key. The data folder stores the API's address and a key of
// the installation's owner. If the API refuses the key, the directory creates a new key over the bus.
import { readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { readApiAddress } from '../../runtime/api-address.ts'
import { programSettings } from '../../runtime/settings.ts'
import { exitCodes, StartError } from '../../runtime/start-error.ts'

export interface ApiPlace {
  url: string
  key: string
  /** Id of the workspace stored in the profile. */
  workspace: string | null
  /** Creates a new key after the API has refused the present key; null: no new key can be created. */
  renew: (() => Promise<string>) | null
}

/** Description of the key in `./watchkeeper key list`. */
const description = 'command line on this machine'

/**
 * Returns the local API. Uses `key` if it is given, otherwise the stored key. If there is no stored key, creates a new key. Throws a
 * StartError if no installation runs on the data folder.
 */
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
  // NATS_URL names the bus of an installation in several processes. The gateway of such an installation may have no data folder.
  if (process.env['NATS_URL']) {
    const { readAllSettings } = await import('../../runtime/all-settings.ts')
    const { HOST, PORT } = readAllSettings(process.env)
    const { reachable } = await import('../../runtime/services.ts')
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

/** Creates a key of the installation's owner. */
async function makeKey(folder: string): Promise<string> {
  const { withInstallation } = await import('../installation/running-installation.ts')
  const { hashToken, makeToken, tokenPrefix } = await import('#shared/tokens/api-token.ts')
  const { idLength, randomId } = await import('#shared/text/ids.ts')
  const { ownerUsername } = await import('#shared/tokens/owner-username.ts')
  const { makeFolder, writeSecretFile } = await import('../../runtime/data/data-folder.ts')
  const { userOf } = await import('../installation/look-up.ts')
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
