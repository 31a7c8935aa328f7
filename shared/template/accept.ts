// Validation of a payload template before it is stored: the template's size, and the rendering of every sample (reference/messages 3.9).
import { AppError } from '#shared/errors.ts'
import { limits } from '#shared/limits/limits.ts'
import { judgeTemplate } from '#shared/template/samples.ts'
import { templateBytes } from '#shared/template/template.ts'

/** Throws an AppError with the code `validation` and the message `Invalid template` if the template is empty or too large. */
export function requireTemplateSize(template: string): void {
  if (template !== '' && templateBytes(template) <= limits.template.bytes) return
  const details = `A template has 1 to ${limits.template.bytes} bytes`
  throw new AppError('validation', 'Invalid template', { details, facts: { field: 'template' } })
}

/**
 * Throws the errors of `requireTemplateSize`. If a sample cannot be rendered, throws an AppError with the code `validation` and the message
 * `Template does not render every message`. Its details name the first such sample.
 */
export function requireTemplate(template: string): void {
  requireTemplateSize(template)
  for (const { label, rendered } of judgeTemplate(template)) {
    if (rendered.ok) continue
    throw new AppError('validation', 'Template does not render every message', {
      details: `${label}: ${rendered.error}`,
      facts: { field: 'template' },
    })
  }
}
