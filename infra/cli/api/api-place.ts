// Address and key of the API for a command. Sources by priority: flags, environment, profile file, installation on this machine.
import { exitCodes, StartError, usageError } from '../../runtime/start-error.ts'
import type { ApiPlace } from './local-api.ts'
import { defaultProfile, type Profile, profileFile, readProfiles } from './profiles.ts'

export interface PlaceOptions {
  url?: string
  profile?: string
}

/**
 * Returns the address and the key. Throws a StartError for an unknown profile, a URL without a key, a damaged profile file, or if no
 * installation runs on this machine.
 */
export async function findApi(options: PlaceOptions): Promise<ApiPlace> {
  if (options.profile !== undefined) return placeOfProfile(options.profile, options.url)
  const url = options.url ?? setting('WATCHKEEPER_URL')
  const key = setting('WATCHKEEPER_API_KEY')
  if (url !== undefined && key !== undefined) return { url, key, workspace: null, renew: null }
  const profiles = await readProfiles()
  if (url !== undefined) return placeOf(profileAt(profiles, url))
  const profile = profiles.get(defaultProfile)
  if (profile !== undefined) return { ...placeOf(profile), ...(key !== undefined && { key }) }
  const { findLocalApi } = await import('./local-api.ts')
  return findLocalApi(key)
}

/** Returns a setting. An empty variable counts as unset. */
function setting(name: 'WATCHKEEPER_URL' | 'WATCHKEEPER_API_KEY'): string | undefined {
  const value = process.env[name]?.trim()
  return value === '' ? undefined : value
}

async function placeOfProfile(name: string, url: string | undefined): Promise<ApiPlace> {
  const profile = (await readProfiles()).get(name)
  if (profile === undefined) {
    throw new StartError(`There is no profile "${name}": ./watchkeeper profile list shows them.`, exitCodes.notFound)
  }
  // A key from a profile is sent only to the URL of this profile.
  if (url !== undefined && !isSame(url, profile.url)) throw noKeyFor(url)
  return placeOf(profile)
}

const placeOf = ({ url, key, workspace }: Profile): ApiPlace => ({ url, key, workspace, renew: null })

function profileAt(profiles: ReadonlyMap<string, Profile>, url: string): Profile {
  const found = [...profiles.values()].find(profile => isSame(profile.url, url))
  if (found !== undefined) return found
  throw noKeyFor(url)
}

const isSame = (one: string, other: string) => one.replace(/\/+$/, '') === other.replace(/\/+$/, '')

const noKeyFor = (url: string) =>
  usageError(`There is no key for ${url}: set WATCHKEEPER_API_KEY, or keep it in ${profileFile()} by ./watchkeeper profile set.`)
