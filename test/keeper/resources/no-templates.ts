// Templates of a step in whose world no Template is published.
import type { TemplateOf } from '../../../services/keeper/step/types.ts'

export const noTemplates: TemplateOf = ({ template }) => {
  throw new Error(`nothing is published as ${template}`)
}
