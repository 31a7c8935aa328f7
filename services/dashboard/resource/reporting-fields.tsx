// Fields of a monitor that is not checked: the first ones, and behind "More options" those of many that nobody has to fill in. A schedule shows
// its next runs.
import type { SentTemplate } from '#shared/contracts/resources/sent-template.ts'
import type { FormField } from '../parts/form/field-values.ts'
import { FieldsOf, type FieldsProps } from '../parts/form/fields-form.tsx'
import { lazy } from '../parts/lazy.tsx'

const RunsAhead = lazy(() => import('../runs/runs-ahead.tsx').then(it => it.RunsAhead))

/** Number of fields that a Template may have before any is folded, and of those that stay in view then. */
const foldedAbove = 8
const shownAlways = 4

interface Props extends Omit<FieldsProps, 'nameOf'> {
  template: SentTemplate
  nameOf(key: string): string
}

export function ReportingFields({ template, fields, ...drawn }: Props) {
  const isFolded = ({ required, default: usual }: FormField, index: number) =>
    fields.length > foldedAbove && index >= shownAlways && !(required && usual === null)
  const folded = fields.filter(isFolded)
  const scheduled = template.signals.find(({ schedule }) => schedule !== undefined)
  const usualOf = (key: string) => drawn.answers[key] ?? fields.find(field => field.key === key)?.default
  return (
    <>
      <FieldsOf {...drawn} fields={fields.filter((field, index) => !isFolded(field, index))} />
      {scheduled !== undefined && <RunsAhead signal={scheduled} nameOf={drawn.nameOf} usual={usualOf} />}
      {folded.length > 0 && (
        <details class="part-of-form" open={drawn.isChange}>
          <summary>More options</summary>
          <FieldsOf {...drawn} fields={folded} />
        </details>
      )}
    </>
  )
}
