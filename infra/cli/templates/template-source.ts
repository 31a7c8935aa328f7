// Reader of a YAML or JSON file with one Template. The member `kind` may be absent.
import type { Manifest, Template } from '#shared/contracts/resources/template.ts'
import { limits } from '#shared/limits/limits.ts'
import { faultAt, type PlacedObject, readObjects } from '../../../services/gateway/configuration/document.ts'
import { FileFault } from '../../../services/gateway/configuration/file-fault.ts'
import { readRevision } from '../../../services/gateway/configuration/wanted.ts'
import { readText } from '../configuration/read-folder.ts'

const noun = 'one object, a Template'

export interface TemplateFile {
  source: PlacedObject
  /** The Template as written, without the member `kind`. */
  manifest: Manifest
  /** The Template as a publication would store it, except that references to destinations stay as written. */
  template: Template
}

/** Throws FileFault for faults that every installation would refuse, and for a file without a Template or with several Templates. */
export async function readTemplateFile(file: string): Promise<TemplateFile> {
  const [source, ...others] = readObjects(file, await readText(file, limits.http.bodyBytes), { noun, content: noun })
  if (source === undefined || others.length > 0) throw new FileFault(file, '', 'it must hold one Template')
  const { kind = 'Template', ...sent } = source.value
  if (kind !== 'Template') throw faultAt(source, 'kind', 'it must be Template')
  const manifest = sent as unknown as Manifest
  return { source, manifest, template: readRevision(source, manifest, null) }
}
