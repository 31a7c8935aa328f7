// The form of a monitor of any Template: its name, the fields of its Template, its key and its labels. That of a monitor with a check shows
// address and name, and folds all else.
import type { SentTemplate } from '#shared/contracts/resources/sent-template.ts'
import type { Location } from '../administration/location.ts'
import { go } from '../data/router.ts'
import { pathTo } from '../data/routing.ts'
import { announce } from '../parts/announce.ts'
import { ButtonLink } from '../parts/button.tsx'
import { AreaField, TextField } from '../parts/form/field.tsx'
import { answersIn, changedAnswers, type FieldAnswers, type FormField } from '../parts/form/field-values.ts'
import { FieldsOf } from '../parts/form/fields-form.tsx'
import { FoldedFields } from '../parts/form/folded-fields.tsx'
import { Form, textOf } from '../parts/form/form.tsx'
import { TryNow } from '../parts/form/try-now.tsx'
import { lazy } from '../parts/lazy.tsx'
import { addPageStyle } from '../parts/page-style.ts'
import { inWorkspace } from '../templates/template.ts'
import style from '../website/website.page.css'
import { askWarnedV3 } from './ask-warned.ts'
import { formFieldsOf, type ListedKind, lackAt, nameBy, type Offer, withSchemes } from './check-kinds.ts'
import { changedLabels, type Labels, labelLines, labelsIn } from './labels.ts'

addPageStyle(style)

export interface ExistingResource {
  id: string
  key: string
  name: string
  meta: FieldAnswers
  labels: Labels
}

interface Props {
  template: SentTemplate
  /** The monitor to change; null: a new monitor. */
  existing: ExistingResource | null
  /** The kind of its check, and the locations; null: the Template has no check. */
  watched: (Offer & { kind: ListedKind }) | null
}

const inputs = ['name', 'key', 'labels']

const ReportingFields = lazy(() => import('./reporting-fields.tsx').then(it => it.ReportingFields))

const anyForm = document.createElement('form')

/** Whether an input of this name would hide a method of its form, such as `matches`, from everybody who works with the form. */
const isOfForms = (key: string): boolean => typeof Reflect.get(anyForm, key) === 'function'

const withLack =
  (kind: ListedKind) =>
  (location: Location): Location => {
    const lack = lackAt(kind, location.id)
    return lack === null ? location : { ...location, lack }
  }

export function ResourceForm({ template, existing, watched }: Props) {
  const fields = formFieldsOf(template, watched?.kind ?? null)
  // A field may have the key of an input that every monitor has. A refusal names the field of a check then, as its monitor needs no name.
  const ownName = watched !== null && fields.some(({ key }) => key === 'name') ? 'monitor.name' : 'name'
  const own = [ownName, ...inputs.slice(1)]
  const nameOf = (key: string): string => (own.includes(key) || isOfForms(key) ? `meta.${key}` : key)
  const answersOf = (values: FormData) => withSchemes(fields, answersIn(fields, values, nameOf))
  const send = async (values: FormData) => {
    const meta = answersOf(values)
    const name = textOf(values, ownName) || (watched === null ? '' : nameBy(fields, meta))
    const labels = labelsIn(textOf(values, 'labels'))
    const isGiven = ({ key, isWriteOnly = false }: FormField) => !isWriteOnly || values.has(nameOf(key))
    const { result: saved, warnings } =
      existing === null
        ? await askWarnedV3<{ id: string }>('POST', inWorkspace('/resources'), {
            template: template.id,
            name,
            meta,
            labels,
            ...(textOf(values, 'key') === '' ? {} : { key: textOf(values, 'key') }),
          })
        : await askWarnedV3<{ id: string }>('PATCH', inWorkspace(`/resources/${encodeURIComponent(existing.id)}`), {
            name,
            meta: changedAnswers(fields.filter(isGiven), meta, existing.meta),
            labels: changedLabels(labels, existing.labels),
          })
    const next = watched !== null ? 'Its first check is on its way.' : 'It waits for its first report.'
    announce(existing === null ? `${name} is added. ${next}` : `${name} is saved.`)
    // They stay until the person closes them.
    for (const { text } of warnings) announce(`${text}.`, { isRefusal: true })
    go(pathTo('monitor', { id: saved.id }))
  }
  const names = [...own, ...fields.map(({ key }) => nameOf(key))]
  const asked = (values: FormData) => ({
    template: template.id,
    meta: answersOf(values),
    ...(existing && { resource: existing.id }),
  })
  const back = existing !== null ? pathTo('monitor', { id: existing.id }) : watched === null ? pathTo('newReporting') : '/'
  const nameField = { name: ownName, label: 'Name', defaultValue: existing?.name ?? '', maxLength: 100 }
  const drawn = {
    answers: existing?.meta ?? {},
    nameOf,
    isChange: existing !== null,
    locations: watched?.locations.map(withLack(watched.kind)),
  }
  return (
    <Form
      fields={names}
      act={existing === null ? 'Add monitor' : 'Save'}
      send={send}
      beside={
        <>
          {watched !== null && <TryNow fields={names} asked={asked} />}
          <ButtonLink href={back}>Cancel</ButtonLink>
        </>
      }
    >
      {watched === null ? (
        <>
          <TextField {...nameField} autoFocus required />
          <ReportingFields {...drawn} template={template} fields={fields} />
        </>
      ) : (
        <>
          <FieldsOf {...drawn} fields={fields.filter(({ section }) => section === undefined)} isFirst />
          <TextField {...nameField} hint="Empty: taken from the address." />
          <FoldedFields {...drawn} fields={fields} />
        </>
      )}
      <details class="part-of-form" open={existing !== null && Object.keys(existing.labels).length > 0}>
        <summary>{existing === null ? 'Key and labels' : 'Labels'}</summary>
        {existing === null && (
          <TextField name="key" label="Key" hint="By which senders name it. It never changes. Empty: made of the name." />
        )}
        <AreaField
          name="labels"
          label="Labels"
          hint="One on each line, as env=production. Lists are filtered by them."
          defaultValue={labelLines(existing?.labels ?? {})}
          rows={3}
        />
      </details>
    </Form>
  )
}
