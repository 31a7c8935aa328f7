// The parts of the editor that are loaded when a person opens them.
import '../common.ts'

export { DiscardDialog } from './discard-dialog.tsx'
export { JsonFields } from './json-fields.tsx'
export { PublishDialog } from './publish-dialog.tsx'
