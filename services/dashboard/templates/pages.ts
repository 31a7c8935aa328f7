// The pages that show Templates, loaded together. The editor is a chunk of its own.
import './common.ts'

export { TemplatePage as template } from './template-page.tsx'
export { Templates as templates } from './templates.tsx'
