// `./watchkeeper template check`: checks a Template as its publication would, and judges Observations by the Template's rules. Needs
// no installation and no data folder. Reference: docs/reference/v3.md, 3.11.

import type { PreviewRule } from '#shared/contracts/resources/preview.ts'
import type { Template } from '#shared/contracts/resources/template.ts'
import { AppError } from '#shared/errors.ts'
import { ManifestRefusal } from '#shared/manifest/manifest-refusal.ts'
import { counted } from '#shared/text/counted.ts'
import { createSystemClock } from '#shared/time/clock.ts'
import { FileFault } from '../../../services/gateway/configuration/file-fault.ts'
import { fitting } from '../../../services/gateway/v3/read-body.ts'
import { previewObject } from '../../../services/gateway/v3/templates/preview-object.ts'
import { PreviewFields, readPreview, type SentPreview } from '../../../services/gateway/v3/templates/preview-request.ts'
import { runPreview } from '../../../services/keeper/preview/run-preview.ts'
import { usageError } from '../../runtime/start-error.ts'
import type { JsonOption } from '../noun.ts'
import { printJson, printTable, say } from '../terminal/printing.ts'
import { startProgress } from '../terminal/progress.ts'
import { readObservations } from './observations-file.ts'
import { readTemplateFile } from './template-source.ts'

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

/**
 * Reads the Template, and judges its rules by the Observations. Without a file of Observations, judges no rule. For a fault in either file,
 * throws FileFault with the fault's position.
 */
async function judged(file: string, observations: string | undefined): Promise<{ template: Template; rules: PreviewRule[] }> {
  const { template } = await readTemplateFile(file)
  if (observations === undefined) return { template, rules: [] }
  const { fields, fault } = await readObservations(observations)
  try {
    const preview = readPreview(template, fitting(PreviewFields, fields) as SentPreview)
    return { template, rules: finished(runPreview(preview, createSystemClock().now())) }
  } catch (error) {
    if (error instanceof ManifestRefusal) throw fault(error.field, error.message)
    if (!(error instanceof AppError) || error.code === 'internal') throw error
    const { field } = error.facts
    throw fault(field ?? '', field === undefined ? error.details : error.message)
  }
}

function finished<T>(run: Generator<void, T>): T {
  const progress = startProgress('the Observations are judged …')
  try {
    for (;;) {
      const next = run.next()
      if (next.done) return next.value
      progress.say('the Observations are judged …')
    }
  } finally {
    progress.end()
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
