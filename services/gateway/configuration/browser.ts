// Configuration files in a browser. Files are read, planned and applied by the same code as in `./watchkeeper apply` and `export`, over the
// session API (ADR 31). This file only sends API requests; `worker.ts` exchanges the messages with the page.
import type { ExportedFile, ReadingProgress } from '#shared/contracts/session/configuration-script.ts'
import { clientLimits } from '#shared/limits/limits-of-clients.ts'
import { utf8Bytes } from '#shared/text/utf8-bytes.ts'
import { type PlacedObject, readObjects } from './document.ts'
import { exportFiles, inOneFile } from './export-files.ts'
import { FileFault } from './file-fault.ts'
import { plan } from './plan.ts'
import { isSame, variableOf } from './plan-destinations.ts'
import { type Clients, type Present, readPresent } from './present.ts'
import type { Step } from './step.ts'
import { readWanted, type WantedConfiguration } from './wanted.ts'

const fileBytes = clientLimits.configurationFileBytes

/** Returns the present workspace as one file. Throws FileFault if the exported file would be larger than allowed. */
export async function exportFile(clients: Clients): Promise<ExportedFile> {
  const { files, objects, omitted } = exportFiles(await readPresent(clients, { withClassic: true, tablesOf: null }))
  const text = inOneFile(files)
  if (utf8Bytes(text) <= fileBytes) return { text, objects, omitted }
  throw new FileFault('The export', '', `it has more than ${fileBytes} bytes: ./watchkeeper export writes it as several files`)
}

/** A file that a person chose. Its bytes are read only if the file is not larger than allowed. */
export interface ChosenFile {
  name: string
  file: { size: number; arrayBuffer(): Promise<ArrayBuffer> }
}

/** A checked file and the present state of the workspace. */
export interface FileToImport {
  wanted: WantedConfiguration
  present: Present
  /** Names of the destinations that the import must create. */
  newDestinations: readonly string[]
}

/** Reads and checks a file. Throws FileFault for a fault that can be found without the workspace. */
export async function readFile(
  { name, file }: ChosenFile,
  clients: Clients,
  onProgress: (progress: ReadingProgress) => void,
): Promise<FileToImport> {
  if (file.size > fileBytes) throw new FileFault(name, '', `it has more than ${fileBytes} bytes`)
  // The file is read before the workspace, because many faults of a file can be found without a request.
  const objects = objectsOf(name, new Uint8Array(await file.arrayBuffer()), share => onProgress({ at: 'file', share }))
  onProgress({ at: 'objects' })
  const wanted = readWanted(objects)
  onProgress({ at: 'workspace', found: 0 })
  const withClassic = wanted.subjects.length + wanted.tables.length > 0
  const tablesOf = new Set(wanted.tables.map(({ subject }) => subject))
  const present = await readPresent(clients, { withClassic, tablesOf })
  const isNew = (wantedName: string) => !present.destinations.some(one => isSame(one.name, wantedName))
  return { wanted, present, newDestinations: wanted.destinations.map(one => one.name).filter(isNew) }
}

function objectsOf(name: string, bytes: Uint8Array, onRead: (share: number) => void): PlacedObject[] {
  const objects = readObjects(name, textOf(name, bytes), { onRead })
  const most = clientLimits.configurationObjects
  if (objects.length > most) throw new FileFault(name, '', `it holds more than ${most} objects`)
  if (objects.length === 0) throw new FileFault(name, '', 'it holds no configuration: there is no object in it')
  return objects
}

function textOf(name: string, bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw new FileFault(name, '', 'it is not UTF-8')
  }
}

/**
 * Returns the plan and writes nothing. `urls`: URL of each new destination, by name. Throws FileFault if the file does not fit the
 * workspace.
 */
export function planOf({ wanted, present }: FileToImport, urls: ReadonlyMap<string, string>, workspace: string): Step[] {
  const environment = Object.fromEntries([...urls].map(([name, url]) => [variableOf(name), url]))
  return plan(wanted, present, { workspace, prune: false, environment })
}
