// The form of a monitor of any published Template: its name, the fields of its Template, its key and its labels.
import { allWatchFields } from '#shared/checks/watch-fields.ts'
import type { SentTemplate } from '#shared/contracts/resources/sent-template.ts'
import { askV3 } from '../data/api.ts'
import { go } from '../data/router.ts'
import { pathTo } from '../data/routing.ts'
import { announce } from '../parts/announce.ts'
import { ButtonLink } from '../parts/button.tsx'
import { AreaField, TextField } from '../parts/form/field.tsx'
import { answersIn, changedAnswers, type FieldAnswers, type FormField } from '../parts/form/field-values.ts'
import { FieldsOf } from '../parts/form/fields-form.tsx'
import { Form, textOf } from '../parts/form/form.tsx'
import { TryNow } from '../parts/form/try-now.tsx'
import { addPageStyle } from '../parts/page-style.ts'
import { inWorkspace, isSystem } from '../templates/template.ts'
import style from '../website/website.page.css'
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
}

const own = ['name', 'key', 'labels']
/** Returns the name of a field's input. A field may have the key of an input that every monitor has. */
const nameOf = (key: string): string => (own.includes(key) ? `meta.${key}` : key)

function formFieldOf(field: SentTemplate['fields'][number]): FormField {
  const stated = allWatchFields.find(({ key }) => key === field.key)
  return stated === undefined ? { ...field, isWriteOnly: field.type === 'secret' } : { ...stated, default: field.default }
}

export function ResourceForm({ template, existing }: Props) {
  const isOfCheck = isSystem(template)
  // What every check has is stated with more words for forms than a Template shows.
  const fields: readonly FormField[] = isOfCheck ? template.fields.map(field => formFieldOf(field)) : template.fields
  const send = async (values: FormData) => {
    const name = textOf(values, 'name')
    const meta = answersIn(fields, values, nameOf)
    const labels = labelsIn(textOf(values, 'labels'))
    const isGiven = ({ key, isWriteOnly = false }: FormField) => !isWriteOnly || meta[key] !== undefined
    const saved =
      existing === null
        ? await askV3<{ id: string }>('POST', inWorkspace('/resources'), {
            template: template.id,
            name,
            meta,
            labels,
            ...(textOf(values, 'key') === '' ? {} : { key: textOf(values, 'key') }),
          })
        : await askV3<{ id: string }>('PATCH', inWorkspace(`/resources/${encodeURIComponent(existing.id)}`), {
            name,
            meta: changedAnswers(fields.filter(isGiven), meta, existing.meta),
            labels: changedLabels(labels, existing.labels),
          })
    const next = isOfCheck ? 'Its first check is on its way.' : 'It waits for its first report.'
    announce(existing === null ? `${name} is added. ${next}` : `${name} is saved.`)
    go(pathTo('monitor', { id: saved.id }))
  }
  const names = [...own, ...fields.map(({ key }) => nameOf(key))]
  const asked = (values: FormData) => ({
    template: template.id,
    meta: answersIn(fields, values, nameOf),
    ...(existing && { resource: existing.id }),
  })
  const back = existing === null ? pathTo('newReporting') : pathTo('monitor', { id: existing.id })
  return (
    <Form
      fields={names}
      act={existing === null ? 'Add monitor' : 'Save'}
      send={send}
      beside={
        <>
          <ButtonLink href={back}>Cancel</ButtonLink>
          {isOfCheck && <TryNow fields={names} asked={asked} />}
        </>
      }
    >
      <TextField name="name" label="Name" defaultValue={existing?.name ?? ''} maxLength={100} autoFocus required />
      <FieldsOf fields={fields} answers={existing?.meta ?? {}} nameOf={nameOf} isChange={existing !== null} />
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
