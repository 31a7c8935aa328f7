// Page of the credentials by which probers on other machines join the bus. A person creates credentials for a location, sees them once, and
// can revoke them.
import { useSignal } from '@preact/signals'
import { askV3 } from '../data/api.ts'
import { pageTitle } from '../data/title.ts'
import { announce } from '../parts/announce.ts'
import { Button } from '../parts/button.tsx'
import { Confirm, FormDialog } from '../parts/confirm.tsx'
import { ChoiceField, TextField } from '../parts/form/field.tsx'
import { textOf } from '../parts/form/form.tsx'
import { Shown, useLoaded } from '../parts/loaded.tsx'
import { AdministrationSections } from '../parts/sections.tsx'
import { ShownOnce } from '../parts/shown-once.tsx'
import { type Column, Table } from '../parts/table/table.tsx'
import { Time } from '../parts/time.tsx'
import { ForAdministrators } from './for-administrators.tsx'
import { type Location, readLocations } from './location.ts'

interface Credential {
  id: string
  /** Name of the location; null: the location was deleted. */
  location: string | null
  description: string
  created_at: string
  revoked_at: string | null
}

const all = '/prober-credentials'

type Made = Credential & { location: string; credentials: string }

export function Probers() {
  pageTitle.value = 'Probers'
  return (
    <>
      <AdministrationSections />
      <ForAdministrators title="Probers">
        <Credentials />
      </ForAdministrators>
    </>
  )
}

async function readAll(): Promise<{ credentials: readonly Credential[]; locations: readonly Location[] }> {
  const [credentials, locations] = await Promise.all([askV3<readonly Credential[]>('GET', all), readLocations()])
  return { credentials, locations }
}

function Credentials() {
  const loaded = useLoaded(readAll)
  const made = useSignal<Made | null>(null)
  const isMaking = useSignal(false)
  const revoked = useSignal<Credential | null>(null)
  const show = async (credential: Made) => {
    await loaded.reload()
    // Closes the dialog before the credentials are shown, because the focus then moves to the credentials.
    isMaking.value = false
    made.value = credential
  }
  return (
    <>
      <div class="head">
        <h1>Probers</h1>
        <Button look="main" onClick={() => (isMaking.value = true)}>
          Create credentials
        </Button>
      </div>
      <p class="dim">
        A prober on another machine joins by a file of credentials. One file serves any number of probers of its location.
      </p>
      {made.value !== null && (
        <ShownOnce
          title={`Credentials for ${made.value.location}`}
          noun="Credentials"
          secret={made.value.credentials}
          onDone={() => (made.value = null)}
        >
          <p>
            Store them as a file on the machine of the prober, and name the file there by <code>NATS_CREDENTIALS</code>.
          </p>
        </ShownOnce>
      )}
      <Shown of={loaded}>
        {({ credentials, locations }) => (
          <>
            <Table
              label="Credentials of probers"
              columns={columns(one => (revoked.value = one))}
              rows={credentials}
              keyOf={({ id }) => id}
              empty="No credentials yet: only the machine of the installation checks."
            />
            {isMaking.value && <Create locations={locations} onMade={show} onClose={() => (isMaking.value = false)} />}
          </>
        )}
      </Shown>
      {revoked.value !== null && <Revoke revoked={revoked.value} onDone={loaded.reload} onClose={() => (revoked.value = null)} />}
    </>
  )
}

const nameOf = ({ description, id }: Credential): string => (description === '' ? id : description)

const columns = (revoke: (credential: Credential) => void): readonly Column<Credential>[] => [
  { head: 'Location', cell: ({ location }) => location ?? 'Deleted' },
  { head: 'Description', cell: credential => nameOf(credential) },
  { head: 'Created', cell: ({ created_at }) => <Time at={Date.parse(created_at)} isLong /> },
  {
    head: 'State',
    cell: ({ revoked_at: at }) => (
      <>
        {at === null ? 'Valid' : 'Revoked '}
        {at !== null && <Time at={Date.parse(at)} isLong />}
      </>
    ),
  },
  {
    head: 'Acts',
    cell: credential =>
      credential.revoked_at === null && (
        <Button aria-label={`Revoke ${nameOf(credential)}`} onClick={() => revoke(credential)}>
          Revoke
        </Button>
      ),
  },
]

interface CreateProps {
  locations: readonly Location[]
  onMade(made: Made): Promise<void>
  onClose(): void
}

function Create({ locations, onMade, onClose }: CreateProps) {
  const send = async (values: FormData) => {
    const body = { location: textOf(values, 'location'), description: textOf(values, 'description') }
    await onMade(await askV3<Made>('POST', all, body))
  }
  const choices = locations.map(({ name, display_name }) => ({ value: name, word: display_name ?? name }))
  return (
    <FormDialog
      title="Create credentials for a prober"
      act="Create credentials"
      fields={['location', 'description']}
      send={send}
      onClose={onClose}
    >
      <ChoiceField name="location" label="Location" of={choices} />
      <TextField name="description" label="Description" hint="The machine of the prober. Its own file can be revoked alone." />
    </FormDialog>
  )
}

function Revoke({ revoked, onDone, onClose }: { revoked: Credential; onDone(): Promise<void>; onClose(): void }) {
  const send = async () => {
    await askV3('DELETE', `${all}/${encodeURIComponent(revoked.id)}`)
    announce(`Credentials ${nameOf(revoked)} revoked.`)
    await onDone()
  }
  return (
    <Confirm title={`Revoke ${nameOf(revoked)}?`} act="Revoke credentials" send={send} onClose={onClose}>
      <p>Each prober that uses this file is cut off and checks nothing more. The file never works again.</p>
    </Confirm>
  )
}
