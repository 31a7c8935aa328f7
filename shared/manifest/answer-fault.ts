// Bounds of an answer to a field of a Template. Those of a system Template are the bounds of its kind of check. Pure. Reference:
// docs/reference/v3.md, 3.5 and 3.23.
import { faultOf as faultOfCheck } from '#shared/checks/field-values.ts'
import type { AnyTemplate, TemplateField } from '#shared/contracts/resources/template.ts'
import { faultOf } from './read-field.ts'
import { checkFieldOf } from './system-templates.ts'

/** What says which bounds the fields of a Template have. */
export type Bounded = Pick<AnyTemplate, 'key' | 'version' | 'isSystem'>

/** Returns the fault of an answer as the end of a sentence; null: the field accepts the answer. */
export function answerFault(template: Bounded, field: TemplateField, answer: unknown): string | null {
  const ofCheck = field.type === 'location_list' ? null : checkFieldOf(template, field.key)
  return ofCheck === null ? faultOf(field, answer) : faultOfCheck(ofCheck, answer)
}
