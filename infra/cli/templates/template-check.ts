// `./watchkeeper template check`: a Template as publication would read it, and what its rules make of Observations. Needs nothing that runs and no
// data folder. Rule: docs/reference/v3.md, 3.11.

import type { PreviewRule } from '#shared/contracts/resources/preview.ts'
import type { Template } from '#shared/contracts/resources/template.ts'
import { AppError } from '#shared/errors.ts'
import { ManifestRefusal } from '#shared/manifest/manifest-refusal.ts'
import { readManifest } from '#shared/manifest/read-manifest.ts'
import { systemTemplates } from '#shared/manifest/website-check.ts'
import { counted } from '#shared/text/counted.ts'
import { createSystemClock } from '#shared/time/clock.ts'
import { FileFault } from '../../../services/gateway/configuration/file-fault.ts'
import { fitting } from '../../../services/gateway/v3/read-body.ts'
import { previewObject } from '../../../services/gateway/v3/templates/preview-object.ts'
import { PreviewFields, readPreview, type SentPreview } from '../../../services/gateway/v3/templates/preview-request.ts'
import { runPreview } from '../../../services/keeper/preview/run-preview.ts'
import { usageError } from '../../runtime/start-error.ts'
import { readJsonFile } from '../configuration/json-file.ts'
import type { JsonOption } from '../noun.ts'
import { printJson, printTable, say } from '../terminal/printing.ts'

interface CheckOptions extends JsonOption {
  observations?: string
}

export async function checkTemplate(file: string, options: CheckOptions): Promise<void> {
  if (options.observations === '') throw usageError('--observations needs the name of a file.')
  try {
    const { template, rules } = await judged(file, options.observations)
    const shown = previewObject(template, rules, false)
    if (options.json) printJson(shown)
    else printPreview(shown, options.observations)
  } catch (error) {
    if (options.json && error instanceof FileFault) printJson({ error: error.toJSON() })
    throw error
  }
}

/** Without Observations no rule is judged. Throws FileFault with the place in the file at fault. */
async function judged(file: string, observations: string | undefined): Promise<{ template: Template; rules: PreviewRule[] }> {
  const { value: manifest, fault } = await readObject(file)
  const systemKeys = new Set(Object.keys(systemTemplates))
  // Destinations are known to an installation alone.
  const template = within(fault, () => readManifest(manifest, { systemKeys, destinations: null }))
  if (observations === undefined) return { template, rules: [] }
  const sent = await readJsonFile(observations)
  const faultOfSent: FaultAt = (place, message) => new FileFault(observations, place, message)
  const rules = within(faultOfSent, () => {
    const fields = Array.isArray(sent) ? { observations: sent } : requireObject(faultOfSent, sent)
    return finished(runPreview(readPreview(template, fitting(PreviewFields, fields) as SentPreview), createSystemClock().now()))
  })
  return { template, rules }
}

/** The fault at a dotted place of a file; an empty place is the file as a whole. */
type FaultAt = (place: string, message: string) => FileFault

/** The one object of a file: JSON, or YAML by its name, where `kind: Template` may stand with it. */
async function readObject(file: string): Promise<{ value: object; fault: FaultAt }> {
  if (/\.ya?ml$/i.test(file)) {
    const { readTemplateSource } = await import('./template-source.ts')
    const { faultAt } = await import('../../../services/gateway/configuration/document.ts')
    const { source, sent } = await readTemplateSource(file)
    return { value: sent, fault: (place, message) => faultAt(source, place, message) }
  }
  const fault: FaultAt = (place, message) => new FileFault(file, place, message)
  return { value: requireObject(fault, await readJsonFile(file)), fault }
}

function requireObject(fault: FaultAt, value: unknown): object {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value
  throw fault('', 'it must be a JSON object')
}

function within<T>(fault: FaultAt, read: () => T): T {
  try {
    return read()
  } catch (error) {
    if (error instanceof ManifestRefusal) throw fault(error.field, error.message)
    if (error instanceof AppError && error.code !== 'internal') {
      throw fault(error.facts.field ?? '', error.facts.field === undefined ? error.details : error.message)
    }
    throw error
  }
}

function finished<T>(run: Generator<void, T>): T {
  for (;;) {
    const next = run.next()
    if (next.done) return next.value
  }
}

export type PreviewShown = ReturnType<typeof previewObject>

export function printPreview({ template, rules, warnings }: PreviewShown, observations: string | undefined): void {
  const { id, signals, rules: declared } = template
  say(`${id} can be published: ${counted(signals.length, 'signal')}, ${counted(declared.length, 'rule')}.`)
  for (const { text } of warnings) say(`Warning: ${text}`)
  if (observations === undefined) return
  console.log()
  printTable(
    ['rule', 'status', 'incidents', 'explanation'],
    rules.map(({ key, status, incidents, incidents_omitted: omitted = 0, explanation }) => {
      return [key, status ?? 'not judged yet', String(incidents.length + omitted), explanation ?? '']
    }),
  )
  const incidents = rules.flatMap(({ key, incidents }) => incidents.map(incident => ({ key, ...incident })))
  if (incidents.length === 0) return
  console.log()
  printTable(
    ['incident of', 'opened', 'confirmed', 'closed', 'because'],
    incidents.map(({ key, opened_at, confirmed_at, closed_at, history }) => {
      return [key, opened_at, confirmed_at ?? 'not confirmed', closed_at ?? 'open', history[0]?.explanation ?? '']
    }),
  )
}
