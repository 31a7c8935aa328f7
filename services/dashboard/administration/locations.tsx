// Locations of the installation with their numbers of probers, and actions to add, rename and remove a location.
import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { askV3 } from '../data/api.ts'
import { counted } from '../data/format.ts'
import { isAdmin } from '../data/session.ts'
import { onNews } from '../data/stream.ts'
import { pageTitle } from '../data/title.ts'
import { announce } from '../parts/announce.ts'
import { Button } from '../parts/button.tsx'
import { Confirm, FormDialog } from '../parts/confirm.tsx'
import { TextField } from '../parts/form/field.tsx'
import { textOf } from '../parts/form/form.tsx'
import { Shown, useLoaded } from '../parts/loaded.tsx'
import { AdministrationSections } from '../parts/sections.tsx'
import { type Column, Table } from '../parts/table/table.tsx'
import { type Location, readLocations } from './location.ts'

type Act = { kind: 'add' } | { kind: 'change' | 'delete'; location: Location }

const path = (id: string): string => `/locations/${encodeURIComponent(id)}`

export function Locations() {
  pageTitle.value = 'Locations'
  const loaded = useLoaded(readLocations)
  const act = useSignal<Act | null>(null)
  useEffect(
    () =>
      onNews(name => {
        if (name === 'prober' || name === 'reset') void loaded.reload()
      }),
    [loaded],
  )
  const given = { onDone: loaded.reload, onClose: () => (act.value = null) }
  return (
    <>
      <AdministrationSections />
      <div class="head">
        <h1>Locations</h1>
        {isAdmin.value && (
          <Button look="main" onClick={() => (act.value = { kind: 'add' })}>
            Add location
          </Button>
        )}
      </div>
      <p class="dim">Websites are checked from locations. A location needs a prober.</p>
      <Shown of={loaded}>
        {locations => (
          <Table
            label="Locations"
            columns={columns(one => (act.value = one))}
            rows={locations}
            keyOf={({ id }) => id}
            empty="No locations yet."
          />
        )}
      </Shown>
      {act.value?.kind === 'add' && <LocationForm {...given} />}
      {act.value?.kind === 'change' && <LocationForm location={act.value.location} {...given} />}
      {act.value?.kind === 'delete' && <Delete location={act.value.location} {...given} />}
    </>
  )
}

function columns(choose: (act: Act) => void): readonly Column<Location>[] {
  const shown: readonly Column<Location>[] = [
    { head: 'Name', cell: ({ name }) => name },
    { head: 'Display name', cell: ({ display_name }) => display_name ?? '–' },
    {
      head: 'Live probers',
      cell: ({ active_workers_count: n }) => (n === 0 ? 'None: no checks from here' : counted(n, 'prober')),
    },
  ]
  if (!isAdmin.value) return shown
  const acts = (location: Location) => (
    <div class="acts">
      <Button aria-label={`Change ${location.name}`} onClick={() => choose({ kind: 'change', location })}>
        Change
      </Button>
      <Button aria-label={`Delete ${location.name}`} onClick={() => choose({ kind: 'delete', location })}>
        Delete
      </Button>
    </div>
  )
  return [...shown, { head: 'Acts', cell: acts }]
}

interface DialogProps {
  location?: Location
  onDone(): Promise<void>
  onClose(): void
}

/** Creates a location, or changes the given location. */
function LocationForm({ location, onDone, onClose }: DialogProps) {
  const send = async (values: FormData) => {
    const body = { name: textOf(values, 'name'), display_name: textOf(values, 'display_name') }
    const [method, to] = location === undefined ? (['POST', '/locations'] as const) : (['PATCH', path(location.id)] as const)
    const { name } = await askV3<Location>(method, to, body)
    announce(location === undefined ? `Location ${name} added.` : `Location ${name} changed.`)
    await onDone()
  }
  const words = location === undefined ? 'Add location' : 'Save'
  const title = location === undefined ? 'Add a location' : `Change ${location.name}`
  return (
    <FormDialog title={title} act={words} fields={['name', 'display_name']} send={send} onClose={onClose}>
      <TextField
        name="name"
        label="Name"
        defaultValue={location?.name ?? ''}
        hint="Monitors and probers name the location by it."
      />
      <TextField name="display_name" label="Display name" defaultValue={location?.display_name ?? ''} hint="May be empty." />
    </FormDialog>
  )
}

function Delete({ location: { id, name }, onDone, onClose }: DialogProps & { location: Location }) {
  const send = async () => {
    await askV3('DELETE', path(id))
    announce(`Location ${name} deleted.`)
    await onDone()
  }
  return (
    <Confirm title={`Delete ${name}?`} act="Delete location" send={send} onClose={onClose}>
      <p>Nothing is checked from {name} any more. It must have no prober and no monitor.</p>
    </Confirm>
  )
}
