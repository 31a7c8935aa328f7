// A file of Observations for a preview, JSON or YAML: a list, or an object with `observations`, `meta` and `at`.
import { limits } from '#shared/limits/limits.ts'
import { oneLine } from '#shared/text/one-line.ts'
import { faultAt, type PlacedObject, readDocuments } from '../../../services/gateway/configuration/document.ts'
import { FileFault, type Position } from '../../../services/gateway/configuration/file-fault.ts'
import { readText } from '../configuration/read-folder.ts'

export interface ObservationsFile {
  /** Fields of the body of a preview request. */
  fields: Readonly<Record<string, unknown>>
  /**
   * Returns the fault with its position in the file. `field`: faulty field as the API names it, such as `observations.1.signal`, `at`, or
   * the key of an answer.
   */
  fault(field: string, message: string): FileFault
}

const noun = 'an Observation'
const content = 'a list of Observations, or an object with observations, meta and at'

/** Throws FileFault for a file without a list or an object, and StartError for a missing file. */
export async function readObservations(file: string): Promise<ObservationsFile> {
  const documents = readDocuments(file, await readText(file, limits.http.bodyBytes), { noun, content })
  if (documents.length === 0) throw new FileFault(file, '', `it must be ${content}`)
  const whole = documents.flatMap(({ isList, objects }) => (isList ? [] : objects)).find(isPreview)
  if (whole !== undefined && documents.length > 1) {
    throw faultAt(whole, '', 'an object with observations, meta or at must be the only one of the file')
  }
  const objects = documents.flatMap(document => document.objects)
  const positionOf = (field: string): Position | null => {
    if (whole !== undefined) return whole.positionOf(Object.hasOwn(Object(whole.value['meta']), field) ? `meta.${field}` : field)
    const [, item = 0, member = ''] = /^observations\.(\d+)\.?(.*)$/.exec(field) ?? []
    return objects[Number(item)]?.positionOf(member) ?? null
  }
  return {
    fields: whole?.value ?? { observations: objects.map(({ value }) => value) },
    fault: (field, message) => new FileFault(file, oneLine(field), oneLine(message), positionOf(field)),
  }
}

/** Returns true if an object has the fields of a preview. Every other object with a signal is an Observation. */
const isPreview = ({ value }: PlacedObject): boolean => 'observations' in value || 'meta' in value || !('signal' in value)
