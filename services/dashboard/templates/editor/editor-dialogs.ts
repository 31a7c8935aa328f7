// Dialogs and other parts of the editor. They are loaded when a person first opens one of them.
import './editor-common.ts'

export { DiscardDialog } from './discard-dialog.tsx'
export { JsonFields } from './json-fields.tsx'
export { PublishDialog } from './publish-dialog.tsx'
