// The parts of a signal that is checked, with the form of the options of all kinds. Loaded when a draft has such a signal.
import './editor-common.ts'
import '../../resource/resource-form.tsx'
import '../use-template.ts'

export { CheckParts } from './check-parts.tsx'
