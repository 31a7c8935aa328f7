// The pages on which a Template is written, loaded together.
import '../common.ts'

export { EditTemplate as editTemplate, NewTemplate as newTemplate } from './edit-template.tsx'
