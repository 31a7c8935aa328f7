// A file of Observations for a preview, JSON or YAML: a list, or an object with `observations`, `meta` and `at`.
import { limits } from '#shared/limits/limits.ts'
import { oneLine } from '#shared/text/one-line.ts'
import { readObjects } from '../../../services/gateway/configuration/document.ts'
import { FileFault } from '../../../services/gateway/configuration/file-fault.ts'
import { readText } from '../configuration/read-folder.ts'

export interface ObservationsFile {
  /** Fields of a preview. */
  fields: Readonly<Record<string, unknown>>
  /** Returns a fault at a field in the API's words: `observations.1.signal`, `at`, or the key of an answer. */
  fault(field: string, message: string): FileFault
}

/** Throws FileFault for a file without objects, and StartError for a missing file. */
export async function readObservations(file: string): Promise<ObservationsFile> {
  const objects = readObjects(file, await readText(file, limits.http.bodyBytes))
  const [first] = objects
  const whole = first !== undefined && ('observations' in first.value || 'meta' in first.value) ? first : null
  const fields = whole?.value ?? { observations: objects.map(({ value }) => value) }
  const lineOf = (field: string): number => {
    const [, item, member = ''] = /^observations\.(\d+)\.?(.*)$/.exec(field) ?? []
    if (whole === null) return objects[Number(item ?? 0)]?.lineOf(member) ?? 1
    return whole.lineOf(Object.hasOwn(Object(whole.value['meta']), field) ? `meta.${field}` : field)
  }
  return {
    fields,
    fault: (field, message) =>
      new FileFault(file, String(lineOf(field)), oneLine(field === '' ? message : `${field}: ${message}`)),
  }
}
