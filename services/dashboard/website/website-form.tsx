// The form of a website monitor. Shows the address; all other fields have defaults and are collapsed below the address.
import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { httpFields, url, websiteTemplate } from '#shared/checks/http/fields.ts'
import {
  confirmAfter,
  failureMode,
  intervalUnit,
  intervalValue,
  locations as locationsField,
  recoverAfter,
} from '#shared/checks/watch-fields.ts'
import { askV3, read } from '../data/api.ts'
import { go } from '../data/router.ts'
import { workspaceId } from '../data/session.ts'
import { announce } from '../parts/announce.ts'
import { ButtonLink } from '../parts/button.tsx'
import { Labelled, TextField } from '../parts/form/field.tsx'
import { changedAnswers, type FieldAnswers, textOfAnswer } from '../parts/form/field-values.ts'
import { FieldsOf } from '../parts/form/fields-form.tsx'
import { Form, textOf } from '../parts/form/form.tsx'
import { addPageStyle } from '../parts/page-style.ts'
import { Failed, Loading } from '../parts/states.tsx'
import { allFields, answersOf, nameOf, usualAnswers, warningsOf, websiteFields } from './answers.ts'
import style from './website.page.css'

addPageStyle(style)

export interface ExistingWebsite {
  id: string
  name: string
  meta: FieldAnswers
}

interface Location {
  id: string
  name: string
  display_name: string | null
  active_workers_count: number
}

/** Form of a website monitor. `existing`: the monitor to change; null: a new monitor. */
export function WebsiteForm({ existing }: { existing: ExistingWebsite | null }) {
  const locations = useSignal<readonly Location[] | null>(null)
  const failure = useSignal<unknown>(null)
  const load = async () => {
    failure.value = null
    try {
      locations.value = (await read<{ locations: Location[] }>('/session/locations')).locations
    } catch (error) {
      failure.value = error
    }
  }
  useEffect(() => void load(), [])
  if (failure.value !== null) return <Failed error={failure.value} onRetry={() => void load()} />
  if (locations.value === null) return <Loading />
  return <Fields existing={existing} locations={locations.value} />
}

function Fields({ existing, locations }: { existing: ExistingWebsite | null; locations: readonly Location[] }) {
  const given = existing?.meta ?? { ...usualAnswers, url: '', locations: usualLocations(locations) }
  const send = async (values: FormData) => {
    const meta = answersOf(values)
    const name = nameOf(textOf(values, 'name'), textOf(values, 'url'))
    const all = `/workspaces/${workspaceId.value}/resources`
    const saved =
      existing === null
        ? await askV3<{ id: string }>('POST', all, { template: websiteTemplate, name, meta })
        : await askV3<{ id: string }>('PATCH', `${all}/${existing.id}`, {
            name,
            meta: changedAnswers(allFields, meta, existing.meta),
          })
    announce(existing === null ? `${name} is added. Its first check is on its way.` : `${name} is saved.`)
    go(`/monitors/${saved.id}`)
  }
  const cancel = existing === null ? null : <ButtonLink href={`/monitors/${existing.id}`}>Cancel</ButtonLink>
  return (
    <Form fields={websiteFields} act={existing === null ? 'Add monitor' : 'Save'} send={send} beside={cancel}>
      <TextField
        name={url.key}
        label={url.label}
        inputMode="url"
        placeholder="https://shop.example/health"
        defaultValue={textOfAnswer(url, given[url.key])}
        autoFocus
        required
      />
      <TextField
        name="name"
        label="Name"
        hint="Empty: the host of the URL."
        defaultValue={existing?.name ?? ''}
        maxLength={100}
      />
      <Locations locations={locations} chosen={given[locationsField.key] as string[]} />
      <Interval given={given} />
      <Request given={given} isOpen={existing !== null} />
      <Judging given={given} isOpen={existing !== null} />
    </Form>
  )
}

/** Returns the ids of the locations that have probers at present. If no location has a prober, returns the ids of all locations. */
function usualLocations(locations: readonly Location[]): string[] {
  const alive = locations.filter(({ active_workers_count: count }) => count > 0)
  return (alive.length > 0 ? alive : locations).map(({ id }) => id)
}

function Locations({ locations, chosen }: { locations: readonly Location[]; chosen: readonly string[] }) {
  return (
    <Labelled name={locationsField.key} label={locationsField.label}>
      {({ id, ...described }) => (
        <fieldset id={id} class="choices" {...described}>
          <legend class="hidden">Locations</legend>
          {locations.map(one => (
            <label key={one.id} class="check">
              <input type="checkbox" name={locationsField.key} value={one.id} defaultChecked={chosen.includes(one.id)} />
              {one.display_name ?? one.name}
              {one.active_workers_count === 0 && <span class="dim">no prober runs there</span>}
            </label>
          ))}
        </fieldset>
      )}
    </Labelled>
  )
}

function Interval({ given }: { given: FieldAnswers }) {
  return (
    <div class="pair">
      <FieldsOf fields={[intervalValue, intervalUnit]} answers={given} />
    </div>
  )
}

function Request({ given, isOpen }: { given: FieldAnswers; isOpen: boolean }) {
  const warnings = useSignal<readonly string[]>(warningsOf(given))
  const judge = ({ currentTarget }: { currentTarget: HTMLElement }) => {
    const form = currentTarget.closest('form')
    if (form !== null) warnings.value = warningsOf(answersOf(new FormData(form)))
  }
  return (
    <details class="part-of-form" open={isOpen} onInput={judge}>
      <summary>Request and expected response</summary>
      <FieldsOf fields={httpFields.filter(({ key }) => key !== url.key)} answers={given} />
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

function Judging({ given, isOpen }: { given: FieldAnswers; isOpen: boolean }) {
  return (
    <details class="part-of-form" open={isOpen}>
      <summary>When it counts as down</summary>
      <FieldsOf fields={[failureMode, confirmAfter, recoverAfter]} answers={given} />
    </details>
  )
}
