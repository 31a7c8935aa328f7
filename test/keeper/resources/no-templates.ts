// Templates argument of a step when no Template is published: those of the system alone.
import { findSystemTemplate, isBuiltIn } from '#shared/manifest/system-templates.ts'
import type { TemplateOf } from '../../../services/keeper/step/types.ts'

export const noTemplates: TemplateOf = ({ template }) => {
  const system = findSystemTemplate(template ?? '')
  if (system !== null && !isBuiltIn(system)) return system
  throw new Error(`nothing is published as ${template}`)
}
