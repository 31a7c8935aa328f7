// File `api.json` of a data folder: the address of the API, for commands that use the same folder.
import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'

const fileIn = (dataFolder: string) => join(dataFolder, 'api.json')

/** Writes the file. Returns a function that removes the file. Throws an Error with a sentence for people. */
export async function keepApiAddress(dataFolder: string, url: string): Promise<() => Promise<void>> {
  const file = fileIn(dataFolder)
  // Only a write loads this module, so a command that only reads the file starts faster.
  const { writeSecretFile } = await import('./data/data-folder.ts')
  await writeSecretFile(file, JSON.stringify({ url })).catch((error: NodeJS.ErrnoException) => {
    throw new Error(`The file ${file} can't be written (${error.code}): correct DATA_DIR or the rights of that folder.`)
  })
  return () => rm(file, { force: true })
}

/** Returns the address; null: no gateway runs on this folder. Throws an Error with a sentence for people. */
export async function readApiAddress(dataFolder: string): Promise<string | null> {
  const file = fileIn(dataFolder)
  const text = await readFile(file, 'utf8').catch(({ code }: NodeJS.ErrnoException) => {
    if (code === 'ENOENT' || code === 'ENOTDIR') return null
    throw new Error(`The file ${file} can't be read (${code}): the user that runs Watchkeeper can.`)
  })
  if (text === null) return null
  const [, url] = /^\{"url":"([^"\\]+)"\}$/.exec(text) ?? []
  if (url !== undefined) return url
  throw new Error(`The file ${file} is damaged: start Watchkeeper again.`)
}
