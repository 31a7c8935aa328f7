// Observation addresses of the workspace: URLs at which systems report without a key. For editors and owners.
import { useSignal } from '@preact/signals'
import { askV3 } from '../data/api.ts'
import { may, workspaceId } from '../data/session.ts'
import { pageTitle } from '../data/title.ts'
import { announce } from '../parts/announce.ts'
import { Button } from '../parts/button.tsx'
import { Confirm } from '../parts/confirm.tsx'
import { Shown, useLoaded } from '../parts/loaded.tsx'
import { SettingsSections } from '../parts/sections.tsx'
import { Empty } from '../parts/states.tsx'
import { type Column, Table } from '../parts/table/table.tsx'
import { Time } from '../parts/time.tsx'
import { Made } from './made-address.tsx'
import { type MadeAddress, NewAddress } from './new-address.tsx'

interface Address {
  id: string
  template: string | null
  second_factor: boolean
  description: string
  created_at: string
}

const path = (id?: string): string =>
  `/workspaces/${encodeURIComponent(workspaceId.peek() ?? '')}/addresses${id === undefined ? '' : `/${encodeURIComponent(id)}`}`

export function Addresses() {
  pageTitle.value = 'Observation addresses'
  return (
    <>
      <SettingsSections />
      {may('editor') ? (
        <Editable />
      ) : (
        <>
          <h1>Observation addresses</h1>
          <Empty title="Not for viewers">
            <p>An editor or owner of the workspace makes and sees its Observation addresses.</p>
          </Empty>
        </>
      )}
    </>
  )
}

function Editable() {
  const loaded = useLoaded(() => askV3<readonly Address[]>('GET', path()))
  const made = useSignal<MadeAddress | null>(null)
  const isMaking = useSignal(false)
  const revoked = useSignal<Address | null>(null)
  const show = async (address: MadeAddress) => {
    await loaded.reload()
    // Closes the dialog before the URL is shown, because the focus then moves to the URL.
    isMaking.value = false
    made.value = address
  }
  return (
    <>
      <div class="head">
        <h1>Observation addresses</h1>
        <Button look="main" onClick={() => (isMaking.value = true)}>
          Create address
        </Button>
      </div>
      <p class="dim">A system that has such a URL reports on monitors of this workspace without a key, and reads nothing.</p>
      {made.value !== null && <Made key={made.value.id} made={made.value} onDone={() => (made.value = null)} />}
      <Shown of={loaded}>
        {addresses => (
          <Table
            label="Observation addresses"
            columns={columns(address => (revoked.value = address))}
            rows={addresses}
            keyOf={({ id }) => id}
            empty="No addresses yet."
          />
        )}
      </Shown>
      {isMaking.value && <NewAddress path={path()} onMade={show} onClose={() => (isMaking.value = false)} />}
      {revoked.value !== null && <Revoke revoked={revoked.value} onDone={loaded.reload} onClose={() => (revoked.value = null)} />}
    </>
  )
}

const nameOf = ({ description, id }: Address): string => (description === '' ? id : description)

const columns = (revoke: (address: Address) => void): readonly Column<Address>[] => [
  { head: 'Description', cell: address => nameOf(address) },
  { head: 'Template', cell: ({ template }) => template ?? 'Any of the workspace' },
  { head: 'Second factor', cell: ({ second_factor }) => (second_factor ? 'A full key' : 'None') },
  { head: 'Created', cell: ({ created_at }) => <Time at={Date.parse(created_at)} isLong /> },
  {
    head: 'Acts',
    cell: address => (
      <Button aria-label={`Revoke ${nameOf(address)}`} onClick={() => revoke(address)}>
        Revoke
      </Button>
    ),
  },
]

function Revoke({ revoked, onDone, onClose }: { revoked: Address; onDone(): Promise<void>; onClose(): void }) {
  const send = async () => {
    await askV3('DELETE', path(revoked.id))
    announce(`Address ${nameOf(revoked)} revoked.`)
    await onDone()
  }
  return (
    <Confirm title={`Revoke ${nameOf(revoked)}?`} act="Revoke address" send={send} onClose={onClose}>
      <p>Each system that reports to the address is refused within a second. Its monitors stay. The URL never comes back.</p>
    </Confirm>
  )
}
