// The pages that edit a Template, loaded together.
import './editor-common.ts'

export { EditTemplate as editTemplate, NewTemplate as newTemplate } from './edit-template.tsx'
