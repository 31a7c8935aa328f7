// The two sides of a move as a person names them: a data folder, or the addresses of MongoDB and NATS. Addresses may have passwords, so each
// may also be named by a variable or a file.
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import type { AllSettings } from '../runtime/all-settings.ts'
import { usageError } from '../runtime/start-error.ts'

export type Place = FolderPlace | ClusterPlace

export interface FolderPlace {
  kind: 'folder'
  /** Absolute. */
  path: string
}

export interface ClusterPlace {
  kind: 'cluster'
  mongodbUrl: string
  natsUrl: string
}

const isMongodb = (word: string): boolean => /^mongodb(\+srv)?:\/\//.test(word)
const isNats = (word: string): boolean => /^(nats|tls):\/\//.test(word)

/**
 * Returns the place that an option names. `words`: values of the option; none: the addresses in the settings. Throws a StartError, which
 * never contains an address with a password.
 */
export function placeOf(
  option: string,
  words: readonly string[],
  settings: Pick<AllSettings, 'MONGODB_URL' | 'NATS_URL'>,
): Place {
  const values = words.map(word => namedAddress(option, word))
  const folders = values.filter(value => !isMongodb(value) && !isNats(value))
  if (folders.length > 0) {
    if (values.length > 1) throw usageError(`${option} takes one folder, or the addresses of MongoDB and NATS.`)
    return { kind: 'folder', path: resolve(folders[0] ?? '') }
  }
  for (const [index, value] of values.entries()) refuseOpenPassword(option, words[index] ?? '', value)
  const mongodbUrl = values.find(isMongodb) ?? settings.MONGODB_URL
  const natsUrl = values.filter(isNats).join(',') || settings.NATS_URL
  if (mongodbUrl === '') throw usageError(`${option} lacks the address of MongoDB: add mongodb://…, or set MONGODB_URL.`)
  if (natsUrl === '') throw usageError(`${option} lacks the address of NATS: add nats://…, or set NATS_URL.`)
  return { kind: 'cluster', mongodbUrl, natsUrl }
}

/** Like `placeOf`, for a command that needs no bus. `word`: value of the option; null: MONGODB_URL. */
export function databaseOf(option: string, word: string | null, settings: Pick<AllSettings, 'MONGODB_URL'>): ClusterPlace {
  const place = placeOf(option, word === null ? [] : [word], { ...settings, NATS_URL: unusedBus })
  if (place.kind === 'folder') throw usageError(`${option} takes the address of MongoDB.`)
  return { ...place, natsUrl: '' }
}

const unusedBus = 'nats://unused'

/** Returns the name of a place for people and logs: no user, no password, no options. */
export function nameOf(place: Place): string {
  if (place.kind === 'folder') return place.path
  const urls = [place.mongodbUrl, ...place.natsUrl.split(',')].filter(url => url !== '')
  return urls.map(bare).join(' and ')
}

const bare = (url: string): string => url.replace(/\/\/.*@/s, '//').replace(/\?.*/s, '')

function namedAddress(option: string, word: string): string {
  const [, kind, named = ''] = /^(env|file):(.+)$/s.exec(word) ?? []
  if (kind === undefined) return word
  if (kind === 'env') {
    const value = process.env[named]
    if (value === undefined) throw usageError(`${option}: the environment has no ${named}.`)
    return value
  }
  try {
    // A file such as `store.env` has the name of its setting before the address.
    return readFileSync(named, 'utf8').trim().replace(/^\w+=/, '')
  } catch (error) {
    throw usageError(`${option}: the file ${named} can't be read (${(error as NodeJS.ErrnoException).code}).`)
  }
}

function refuseOpenPassword(option: string, word: string, value: string): void {
  if (word !== value || !/\/\/[^@]*:[^@]*@/.test(value)) return
  throw usageError(
    `${option} has an address with a password, which others would see in the list of processes: ${option} env:<VARIABLE> or file:<path>.`,
  )
}
