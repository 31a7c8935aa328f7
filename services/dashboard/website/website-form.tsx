// The form of a website monitor. Shows the address; all other fields have defaults and are collapsed below the address.
import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { askV3, read } from '../data/api.ts'
import { go } from '../data/router.ts'
import { workspaceId } from '../data/session.ts'
import { announce } from '../parts/announce.ts'
import { ButtonLink } from '../parts/button.tsx'
import { AreaField, ChoiceField, Labelled, TextField } from '../parts/form/field.tsx'
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
        ? await askV3<{ id: string }>('POST', all, { template: 'website-check@1', name, meta })
        : await askV3<{ id: string }>('PATCH', `${all}/${existing.id}`, { name, meta: changedAnswers(meta, existing.meta) })
    announce(existing === null ? `${name} is added. Its first check is on its way.` : `${name} is saved.`)
    go(`/monitors/${saved.id}`)
  }
  const cancel = existing === null ? null : <ButtonLink href={`/monitors/${existing.id}`}>Cancel</ButtonLink>
  return (
    <Form fields={websiteFields} act={existing === null ? 'Add monitor' : 'Save'} send={send} beside={cancel}>
      <TextField
        name="url"
        label="Address"
        inputMode="url"
        placeholder="https://shop.example/health"
        defaultValue={given.url}
        autoFocus
        required
      />
      <TextField
        name="name"
        label="Name"
        hint="Empty: the host of the address."
        defaultValue={existing?.name ?? ''}
        maxLength={100}
      />
      <Locations locations={locations} chosen={given.locations} />
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
    <Labelled name="locations" label="Checked from">
      {({ id, ...described }) => (
        <fieldset id={id} class="choices" {...described}>
          <legend class="hidden">Locations</legend>
          {locations.map(one => (
            <label key={one.id} class="check">
              <input type="checkbox" name="locations" value={one.id} defaultChecked={chosen.includes(one.id)} />
              {one.display_name ?? one.name}
              {one.active_workers_count === 0 && <span class="dim">no prober runs there</span>}
            </label>
          ))}
        </fieldset>
      )}
    </Labelled>
  )
}

const units = [
  { value: 'MINUTE', word: 'minutes' },
  { value: 'HOUR', word: 'hours' },
]

function Interval({ given }: { given: Pick<WebsiteAnswers, 'interval_value' | 'interval_unit'> }) {
  return (
    <div class="pair">
      <TextField name="interval_value" label="Every" type="number" min={1} defaultValue={String(given.interval_value)} />
      <ChoiceField name="interval_unit" label="Unit" of={units} defaultValue={given.interval_unit} />
    </div>
  )
}

const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'].map(value => ({ value, word: value }))

function Request({ given, isOpen }: { given: Omit<WebsiteAnswers, 'url' | 'locations'>; isOpen: boolean }) {
  const warnings = useSignal<readonly string[]>(warningsOf({ ...given }))
  const judge = ({ currentTarget }: { currentTarget: HTMLElement }) => {
    const form = currentTarget.closest('form')
    if (form !== null) warnings.value = warningsOf(answersOf(new FormData(form)))
  }
  return (
    <details class="part-of-form" open={isOpen} onInput={judge}>
      <summary>Request and expected response</summary>
      <ChoiceField name="method" label="Method" of={methods} defaultValue={given.method} />
      <TextField name="statuses" label="Accepted statuses" hint="With commas between." defaultValue={given.statuses.join(', ')} />
      <TextField
        name="expected_text"
        label="Text that the response must hold"
        hint="Empty: none is looked for."
        defaultValue={given.expected_text}
      />
      <TextField
        name="content_type"
        label="Content type of the body"
        hint="Empty: none is sent."
        defaultValue={given.content_type}
      />
      <AreaField name="data" label="Body" defaultValue={given.data} />
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

const modes = [
  { value: 'at_least_one', word: 'at least one location' },
  { value: 'majority', word: 'more than half of the locations' },
  { value: 'all', word: 'all locations' },
]

function Judging({ given, isOpen }: { given: Omit<WebsiteAnswers, 'url' | 'locations'>; isOpen: boolean }) {
  return (
    <details class="part-of-form" open={isOpen}>
      <summary>When it counts as down</summary>
      <ChoiceField name="failure_mode" label="Fails when checks fail at" of={modes} defaultValue={given.failure_mode} />
      <TextField
        name="confirm_after"
        label="Confirmation delay, seconds"
        hint="A failure that lasts this long is confirmed, and people are notified. Empty: as the installation has it."
        type="number"
        min={0}
        defaultValue={String(given.confirm_after ?? '')}
      />
      <TextField
        name="recover_after"
        label="Recovery delay, seconds"
        hint="Checks that pass for this long close the incident. Empty: as the installation has it."
        type="number"
        min={0}
        defaultValue={String(given.recover_after ?? '')}
      />
    </details>
  )
}
