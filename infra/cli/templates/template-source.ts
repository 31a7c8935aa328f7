// The one Template of a file, YAML or JSON, as it stands there: with or without its kind.
import { faultAt, type Placed, readObjects } from '../../../services/gateway/configuration/document.ts'
import { FileFault } from '../../../services/gateway/configuration/file-fault.ts'
import { readText } from '../configuration/read-folder.ts'

/** Throws FileFault for a file that holds no Template, or several. */
export async function readTemplateSource(file: string): Promise<{ source: Placed; sent: Readonly<Record<string, unknown>> }> {
  const [source, ...others] = readObjects(file, await readText(file))
  if (source === undefined || others.length > 0) throw new FileFault(file, '', 'it must hold one Template')
  const { kind = 'Template', ...sent } = source.value
  if (kind !== 'Template') throw faultAt(source, 'kind', 'it must be Template')
  return { source, sent }
}
