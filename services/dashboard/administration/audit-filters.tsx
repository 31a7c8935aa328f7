// Filters of the audit: person, path and time.
import { askV3 } from '../data/api.ts'
import { workspace } from '../data/session.ts'
import { Button } from '../parts/button.tsx'
import { ChoiceField, TextField } from '../parts/form/field.tsx'
import { Form, textOf } from '../parts/form/form.tsx'
import { useLoaded } from '../parts/loaded.tsx'
import { instantOf, localOf } from './audit-rows.ts'

interface Member {
  id: string
  username: string
}

interface FiltersProps {
  filters: URLSearchParams
  onApply(changes: Readonly<Record<string, string | null>>): void
  onClear(): void
}

export function AuditFilters({ filters, onApply, onClear }: FiltersProps) {
  const path = `/workspaces/${encodeURIComponent(workspace.value?.id ?? '')}/members`
  const loaded = useLoaded(() => askV3<readonly Member[]>('GET', path))
  const members = loaded.value.value ?? []
  const people = members.map(({ id, username }) => ({ value: id, word: username }))
  const person = filters.get('person') ?? ''
  // Adds the chosen person to the list if the person is no longer a member, because the audit has rows of former members too.
  const gone = person === '' || people.some(({ value }) => value === person) ? [] : [{ value: person, word: person }]
  const apply = async (values: FormData) =>
    onApply({
      person: textOf(values, 'person'),
      path: textOf(values, 'path'),
      since: instantOf(textOf(values, 'since')),
      until: instantOf(textOf(values, 'until')),
    })
  const clear = (
    <Button look="quiet" onClick={onClear}>
      Show all
    </Button>
  )
  return (
    <div class="filter-form">
      <Form fields={['person', 'path', 'since', 'until']} act="Filter" send={apply} beside={clear}>
        <ChoiceField
          name="person"
          label="Person"
          of={[{ value: '', word: 'Everybody' }, ...gone, ...people]}
          defaultValue={person}
        />
        <TextField name="path" label="Path begins with" placeholder="/resources" defaultValue={filters.get('path') ?? ''} />
        <TextField name="since" label="Since" type="datetime-local" defaultValue={localOf(filters.get('since'))} />
        <TextField name="until" label="Before" type="datetime-local" defaultValue={localOf(filters.get('until'))} />
      </Form>
    </div>
  )
}
