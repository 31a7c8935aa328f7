// Profile file: addresses, keys and workspaces of installations by name. Only its owner may read it.

import { open } from 'node:fs/promises'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { isObject } from '#shared/json-shape/is-object.ts'
import { clientLimits } from '#shared/limits/limits-of-clients.ts'
import { usageError } from '../../runtime/start-error.ts'

export interface Profile {
  url: string
  key: string
  /** Id of the workspace; null: none is stored. */
  workspace: string | null
}

export const defaultProfile = 'default'

export function profileFile(): string {
  const { XDG_CONFIG_HOME: config } = process.env
  return join(config === undefined || config === '' ? join(homedir(), '.config') : config, 'watchkeeper', 'profile.json')
}

/**
 * Returns the profiles by name. Returns an empty map if there is no file. Throws a StartError for a damaged file, or a file that others may
 * read.
 */
export async function readProfiles(): Promise<Map<string, Profile>> {
  const file = profileFile()
  const text = await readOwnFile(file)
  if (text === null) return new Map()
  const read = parsed(file, text)
  const { profiles } = isObject(read) ? read : {}
  if (!isObject(profiles)) throw damaged(`${file}:profiles`, 'it must be an object')
  return new Map(
    Object.entries(profiles).map(([name, value]) => {
      if (isProfile(value)) return [name, value]
      throw damaged(`${file}:profiles.${name}`, 'it must have "url", "key" and "workspace"')
    }),
  )
}

/** Writes the file atomically, with mode 0600. */
export async function writeProfiles(profiles: ReadonlyMap<string, Profile>): Promise<void> {
  const { makeFolder, writeSecretFile } = await import('../../runtime/data/data-folder.ts')
  const file = profileFile()
  try {
    await makeFolder(dirname(file))
    await writeSecretFile(file, `${JSON.stringify({ profiles: Object.fromEntries(profiles) }, null, 2)}\n`)
  } catch (error) {
    throw usageError(`The file ${file} can't be written (${(error as NodeJS.ErrnoException).code}): correct XDG_CONFIG_HOME.`)
  }
}

/**
 * Returns the content of the file; null: there is no file. Checks the file after it is opened, so that nobody can replace the file between
 * the check and the read.
 */
async function readOwnFile(file: string): Promise<string | null> {
  try {
    const handle = await open(file)
    try {
      const { mode, size } = await handle.stat()
      if (mode & 0o077) throw usageError(`Others may read the keys in ${file}: chmod 600 ${file}`)
      if (size > clientLimits.profileBytes) throw damaged(file, `it has more than ${clientLimits.profileBytes} bytes`)
      return await handle.readFile('utf8')
    } finally {
      await handle.close()
    }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ENOTDIR') return null
    if (code === undefined) throw error
    throw usageError(`The file ${file} can't be read (${code}).`)
  }
}

/** Parses the file. The error never quotes the parser's message, which quotes parts of the file and may so reveal a key. */
function parsed(file: string, text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    const line = text.slice(0, faultIn(text)).split('\n').length
    throw damaged(`${file}:${line}`, 'it is not valid JSON')
  }
}

/** Returns the offset of the first invalid character. Only some messages of V8 contain this offset. */
function faultIn(text: string): number {
  const message = faultOf(text)
  const named = /^[^"]* JSON at position (\d+)/.exec(message)?.[1]
  if (named !== undefined) return Number(named)
  // If the message has no offset, a binary search finds the invalid character: it parses about 20 beginnings of the text.
  let [good, bad] = [0, text.length]
  while (bad - good > 1 && message.startsWith(unexpected)) {
    const middle = (good + bad) >> 1
    if (faultOf(text.slice(0, middle)).startsWith(unexpected)) bad = middle
    else good = middle
  }
  return bad
}

const unexpected = 'Unexpected token'

function faultOf(text: string): string {
  try {
    JSON.parse(text)
    return ''
  } catch (error) {
    return (error as SyntaxError).message
  }
}

const damaged = (place: string, fault: string) =>
  usageError(`The profile file is damaged at ${place} (${fault}): correct it, or remove it and use ./watchkeeper profile set.`)

const isProfile = (value: unknown): value is Profile =>
  isObject(value) &&
  typeof value['url'] === 'string' &&
  typeof value['key'] === 'string' &&
  (value['workspace'] === null || typeof value['workspace'] === 'string')
