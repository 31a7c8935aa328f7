// `./watchkeeper template publish|preview`: a Template from a YAML or JSON file. Errors name the file, the line and the dotted path
// (`a.b.c`).
import { ApiRefusal } from '#shared/api-v3/errors.ts'
import { faultAt, type PlacedObject } from '../../../services/gateway/configuration/document.ts'
import { usageError } from '../../runtime/start-error.ts'
import { withWorkspace } from '../api/with-workspace.ts'
import type { ApiOptions } from '../noun.ts'
import { printJson, printMade } from '../terminal/printing.ts'
import { readObservations } from './observations-file.ts'
import { type PreviewShown, printPreview } from './template-check.ts'
import { readTemplateFile } from './template-source.ts'

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
  const sent = from === undefined ? null : await readObservations(from)
  const shown = await withWorkspace(options, ({ api, root }) =>
    api.send<PreviewShown>('POST', `${root}/templates/preview`, { ...sent?.fields, manifest }).catch(error => {
      const field = error instanceof ApiRefusal ? String(error.body.details['field']) : ''
      if (sent !== null && isField(sent.fields, field)) throw sent.fault(field, error.message)
      return placedIn(source)(error)
    }),
  )
  if (options.json) return printJson(shown)
  printPreview(shown, from)
}

/** Returns true if the file of Observations contains the faulty field, at its top level or in `meta`. */
const isField = (fields: Readonly<Record<string, unknown>>, field: string): boolean =>
  Object.hasOwn(fields, field.split('.', 1)[0] as string) || Object.hasOwn((fields['meta'] ?? {}) as object, field)

/** Adds the line of the Template's file to a refusal that names a dotted place of the Template. */
const placedIn =
  (source: PlacedObject) =>
  (error: unknown): never => {
    const field = error instanceof ApiRefusal ? error.body.details['field'] : undefined
    if (error instanceof ApiRefusal && error.status < 500 && typeof field === 'string')
      throw faultAt(source, field, error.message)
    throw error
  }
