// Parts of the editor that few drafts show.
import './editor-common.ts'

export { AnswerFields, OwnObservations } from '../preview/preview-inputs.tsx'
export { FieldParts } from './field-parts.tsx'
export { DestinationAt, FlappingParts, Routes } from './rule-parts.tsx'
export { ValueAt } from './value-parts.tsx'
