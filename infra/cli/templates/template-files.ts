// `./watchkeeper template publish|preview`: a Template of a file, YAML or JSON, in an installation. Faults are named by file, line and dotted place.
import { ApiRefusal } from '#shared/api-v3/errors.ts'
import type { Manifest } from '#shared/contracts/resources/template.ts'
import { faultAt, type Placed } from '../../../services/gateway/configuration/document.ts'
import { FileFault } from '../../../services/gateway/configuration/file-fault.ts'
import { readRevision } from '../../../services/gateway/configuration/wanted.ts'
import { usageError } from '../../runtime/start-error.ts'
import { withWorkspace } from '../api/with-workspace.ts'
import { readJsonFile } from '../configuration/json-file.ts'
import type { ApiOptions } from '../noun.ts'
import { printJson, printMade } from '../terminal/printing.ts'
import { type PreviewShown, printPreview } from './template-check.ts'
import { readTemplateSource } from './template-source.ts'

export interface PreviewOptions extends ApiOptions {
  observations?: string
}

export async function publishTemplate(file: string, options: ApiOptions): Promise<void> {
  const { source, manifest } = await readTemplateFile(file)
  const made = await withWorkspace(options, ({ api, root }) =>
    api.send<{ id: string }>('POST', `${root}/templates`, manifest).catch(placedIn(source)),
  )
  if (options.json) return printJson(made)
  printMade(made.id, 'The Template is published. Its revision:')
}

export async function previewTemplate(file: string, options: PreviewOptions): Promise<void> {
  if (options.observations === '') throw usageError('--observations needs the name of a file.')
  const { source, manifest } = await readTemplateFile(file)
  const { observations: from } = options
  const fields = from === undefined ? {} : fieldsOf(from, await readJsonFile(from))
  const shown = await withWorkspace(options, ({ api, root }) =>
    api.send<PreviewShown>('POST', `${root}/templates/preview`, { ...fields, manifest }).catch(error => {
      // Its faults are in one file or the other.
      const isOfObservations = error instanceof ApiRefusal && isField(fields, String(error.body.details['field']))
      if (from !== undefined && isOfObservations) throw new FileFault(from, String(error.body.details['field']), error.message)
      return placedIn(source)(error)
    }),
  )
  if (options.json) return printJson(shown)
  printPreview(shown, from)
}

/** The one Template of a file, with or without its kind. Throws FileFault for what publication would refuse everywhere. */
async function readTemplateFile(file: string): Promise<{ source: Placed; manifest: Manifest }> {
  const { source, sent } = await readTemplateSource(file)
  const manifest = sent as unknown as Manifest
  readRevision(source, manifest, null)
  return { source, manifest }
}

function fieldsOf(file: string, sent: unknown): Record<string, unknown> {
  if (Array.isArray(sent)) return { observations: sent }
  if (typeof sent === 'object' && sent !== null) return { ...sent }
  throw new FileFault(file, '', 'it must be a list of Observations, or an object with observations, meta and at')
}

/** Whether a fault of a preview lies beside the Template: in an Observation, an answer, or the instant. */
const isField = (fields: Record<string, unknown>, field: string): boolean =>
  Object.hasOwn(fields, field.split('.', 1)[0] as string) || Object.hasOwn((fields['meta'] ?? {}) as object, field)

/** Adds the line of the file to a refusal that names a place of the Template. */
const placedIn =
  (source: Placed) =>
  (error: unknown): never => {
    const field = error instanceof ApiRefusal ? error.body.details['field'] : undefined
    if (error instanceof ApiRefusal && error.status < 500 && typeof field === 'string')
      throw faultAt(source, field, error.message)
    throw error
  }
