// Templates argument of a step when no Template is published.
import type { TemplateOf } from '../../../services/keeper/step/types.ts'

export const noTemplates: TemplateOf = ({ template }) => {
  throw new Error(`nothing is published as ${template}`)
}
