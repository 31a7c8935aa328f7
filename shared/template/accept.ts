// Whether a template may be stored: its size, and that it renders every sample (spec D 2, Transformation).
import { AppError } from '#shared/errors.ts'
import { limits } from '#shared/limits.ts'
import { judgeTemplate } from '#shared/template/samples.ts'
import { templateBytes } from '#shared/template/template.ts'

/** Throws validation `Invalid template` for what is empty or too large to be looked at. */
export function requireTemplateSize(template: string): void {
  if (template !== '' && templateBytes(template) <= limits.template.bytes) return
  const details = `A template has 1 to ${limits.template.bytes} bytes`
  throw new AppError('validation', 'Invalid template', { details })
}

/** Throws also validation `Template does not render every message`, naming the first sample that does not and why. */
export function requireTemplate(template: string): void {
  requireTemplateSize(template)
  for (const { label, rendered } of judgeTemplate(template)) {
    if (rendered.ok) continue
    throw new AppError('validation', 'Template does not render every message', { details: `${label}: ${rendered.error}` })
  }
}
