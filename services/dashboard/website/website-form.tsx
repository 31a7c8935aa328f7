// The form that changes a monitor of the Template of website monitors. New monitors of websites have another Template.
import { useSignal } from '@preact/signals'
import {
  confirmAfter,
  failureMode,
  intervalUnit,
  intervalValue,
  locations as locationsField,
  recoverAfter,
} from '#shared/checks/watch-fields.ts'
import { url, websiteFields } from '#shared/checks/website/fields.ts'
import { websiteTemplate } from '#shared/checks/website/website-template.ts'
import { type Location, readLocations } from '../administration/location.ts'
import { askV3 } from '../data/api.ts'
import { go } from '../data/router.ts'
import { workspaceId } from '../data/session.ts'
import { announce } from '../parts/announce.ts'
import { ButtonLink } from '../parts/button.tsx'
import { TextField } from '../parts/form/field.tsx'
import { changedAnswers, type FieldAnswers, textOfAnswer } from '../parts/form/field-values.ts'
import { FieldsOf } from '../parts/form/fields-form.tsx'
import { Form, textOf } from '../parts/form/form.tsx'
import { LocationChoices } from '../parts/form/locations-field.tsx'
import { TryNow } from '../parts/form/try-now.tsx'
import { Shown, useLoaded } from '../parts/loaded.tsx'
import { addPageStyle } from '../parts/page-style.ts'
import { allFields, answersOf, formFields, nameOf, warningsOf } from './answers.ts'
import style from './website.page.css'

addPageStyle(style)

export interface ExistingWebsite {
  id: string
  name: string
  meta: FieldAnswers
}

export function WebsiteForm({ existing }: { existing: ExistingWebsite }) {
  const loaded = useLoaded(readLocations)
  return <Shown of={loaded}>{locations => <Fields existing={existing} locations={locations} />}</Shown>
}

function Fields({ existing, locations }: { existing: ExistingWebsite; locations: readonly Location[] }) {
  const given = existing.meta
  const send = async (values: FormData) => {
    const meta = answersOf(values)
    const name = nameOf(textOf(values, 'name'), textOf(values, 'url'))
    const path = `/workspaces/${workspaceId.value}/resources/${existing.id}`
    await askV3('PATCH', path, { name, meta: changedAnswers(allFields, meta, existing.meta) })
    announce(`${name} is saved.`)
    go(`/monitors/${existing.id}`)
  }
  const asked = (values: FormData) => ({
    template: websiteTemplate,
    meta: answersOf(values),
    resource: existing.id,
  })
  const beside = (
    <>
      <ButtonLink href={`/monitors/${existing.id}`}>Cancel</ButtonLink>
      <TryNow fields={formFields} asked={asked} />
    </>
  )
  return (
    <Form fields={formFields} act="Save" send={send} beside={beside}>
      <TextField
        name={url.key}
        label={url.label}
        inputMode="url"
        defaultValue={textOfAnswer(url, given[url.key])}
        autoFocus
        required
      />
      <TextField name="name" label="Name" hint="Empty: the host of the URL." defaultValue={existing.name} maxLength={100} />
      <LocationChoices
        name={locationsField.key}
        label={locationsField.label}
        locations={locations}
        chosen={(given[locationsField.key] as string[] | undefined) ?? null}
      />
      <Interval given={given} />
      <Request given={given} />
      <Judging given={given} />
    </Form>
  )
}

function Interval({ given }: { given: FieldAnswers }) {
  return (
    <div class="pair">
      <FieldsOf fields={[intervalValue, intervalUnit]} answers={given} />
    </div>
  )
}

function Request({ given }: { given: FieldAnswers }) {
  const warnings = useSignal<readonly string[]>(warningsOf(given))
  const judge = ({ currentTarget }: { currentTarget: HTMLElement }) => {
    const form = currentTarget.closest('form')
    if (form !== null) warnings.value = warningsOf(answersOf(new FormData(form)))
  }
  return (
    <details class="part-of-form" open onInput={judge}>
      <summary>Request and expected response</summary>
      <FieldsOf fields={websiteFields.filter(({ key }) => key !== url.key)} answers={given} />
      <div role="status">
        {warnings.value.map(sentence => (
          <p key={sentence} class="website-warning">
            {sentence}
          </p>
        ))}
      </div>
    </details>
  )
}

function Judging({ given }: { given: FieldAnswers }) {
  return (
    <details class="part-of-form" open>
      <summary>When it counts as down</summary>
      <FieldsOf fields={[failureMode, confirmAfter, recoverAfter]} answers={given} />
    </details>
  )
}
