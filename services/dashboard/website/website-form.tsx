// The form of a website monitor. Shows the address; all other fields have defaults and are collapsed below the address.
import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import type { CheckField } from '#shared/checks/check-field.ts'
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
import { AreaField, CheckField as BooleanField, ChoiceField, Labelled, TextField } from '../parts/form/field.tsx'
import { Form, textOf } from '../parts/form/form.tsx'
import { addPageStyle } from '../parts/page-style.ts'
import { Failed, Loading } from '../parts/states.tsx'
import { answersOf, changedAnswers, nameOf, usualAnswers, type WebsiteAnswers, warningsOf, websiteFields } from './answers.ts'
import style from './website.page.css'

addPageStyle(style)

export interface ExistingWebsite {
  id: string
  name: string
  meta: WebsiteAnswers
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
        : await askV3<{ id: string }>('PATCH', `${all}/${existing.id}`, { name, meta: changedAnswers(meta, existing.meta) })
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
        defaultValue={shownIn(given, url)}
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

/** A field as its type is drawn. */
function Asked({ field, given }: { field: CheckField; given: WebsiteAnswers }) {
  const { key: name, type, label, form } = field
  const shown = { name, label, ...(field.hint === undefined ? {} : { hint: field.hint }) }
  const defaultValue = shownIn(given, field)
  if (type === 'enum') {
    const of = field.options.map(value => ({ value, word: field.words?.[value] ?? value }))
    return <ChoiceField {...shown} of={of} defaultValue={defaultValue} />
  }
  if (type === 'boolean') return <BooleanField {...shown} defaultChecked={given[name] === true} />
  if (type === 'string_list') return <AreaField hint="One in each line." {...shown} defaultValue={defaultValue} />
  if (form === 'lines') return <AreaField {...shown} defaultValue={defaultValue} />
  if (type === 'integer_list') return <TextField hint="With commas between." {...shown} defaultValue={defaultValue} />
  if (type === 'string') return <TextField {...shown} defaultValue={defaultValue} />
  return <TextField {...shown} type="number" min={field.min ?? 0} defaultValue={defaultValue} />
}

/** Returns an answer as a person types it. */
function shownIn(given: WebsiteAnswers, { key, type }: CheckField): string {
  const answer = given[key] ?? ''
  return Array.isArray(answer) ? answer.join(type === 'integer_list' ? ', ' : '\n') : String(answer)
}

function Interval({ given }: { given: WebsiteAnswers }) {
  return (
    <div class="pair">
      <Asked field={intervalValue} given={given} />
      <Asked field={intervalUnit} given={given} />
    </div>
  )
}

function Request({ given, isOpen }: { given: WebsiteAnswers; isOpen: boolean }) {
  const warnings = useSignal<readonly string[]>(warningsOf(given))
  const judge = ({ currentTarget }: { currentTarget: HTMLElement }) => {
    const form = currentTarget.closest('form')
    if (form !== null) warnings.value = warningsOf(answersOf(new FormData(form)))
  }
  return (
    <details class="part-of-form" open={isOpen} onInput={judge}>
      <summary>Request and expected response</summary>
      {httpFields.map(field => field.key !== url.key && <Asked key={field.key} field={field} given={given} />)}
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

function Judging({ given, isOpen }: { given: WebsiteAnswers; isOpen: boolean }) {
  return (
    <details class="part-of-form" open={isOpen}>
      <summary>When it counts as down</summary>
      {[failureMode, confirmAfter, recoverAfter].map(field => (
        <Asked key={field.key} field={field} given={given} />
      ))}
    </details>
  )
}
