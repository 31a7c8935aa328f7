// Which function answers which question about Templates (shared/contracts/ask/ask-resources.ts).
import { countTemplateUses } from './template-uses.ts'
import { getTemplate, listTemplates, publishTemplate, readTemplateManifest } from './templates.ts'

export const templateAnswerers = {
  'publish-template': publishTemplate,
  'read-manifest': readTemplateManifest,
  'list-templates': listTemplates,
  'get-template': getTemplate,
  'count-template-uses': countTemplateUses,
}
