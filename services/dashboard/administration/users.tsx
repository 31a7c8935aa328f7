// The accounts of the installation, for its administrators.
import { useSignal } from '@preact/signals'
import { readAllPages, readPageOf } from '../data/paged.ts'
import { session } from '../data/session.ts'
import { pageTitle } from '../data/title.ts'
import { Button } from '../parts/button.tsx'
import { Shown, useLoaded } from '../parts/loaded.tsx'
import { AdministrationSections } from '../parts/sections.tsx'
import { type Column, Table } from '../parts/table/table.tsx'
import { Time } from '../parts/time.tsx'
import { ForAdministrators } from './for-administrators.tsx'
import { type Account, ChangeUser, DisableUser, EnableUser, NewUser, SetPassword } from './user-acts.tsx'

type Act = { kind: 'add' } | { kind: 'change' | 'password' | 'disable'; user: Account }

export function Users() {
  pageTitle.value = 'Users'
  return (
    <>
      <AdministrationSections />
      <ForAdministrators title="Users">
        <Accounts />
      </ForAdministrators>
    </>
  )
}

function Accounts() {
  const loaded = useLoaded(() => readAllPages<Account>(cursor => readPageOf('/users?limit=200', cursor)))
  const act = useSignal<Act | null>(null)
  const given = { onDone: loaded.reload, onClose: () => (act.value = null) }
  const chosen = act.value
  return (
    <>
      <div class="head">
        <h1>Users</h1>
        <Button look="main" onClick={() => (act.value = { kind: 'add' })}>
          Add user
        </Button>
      </div>
      <p class="dim">An account sees the workspaces that it is a member of. An owner of a workspace makes it a member.</p>
      <Shown of={loaded}>
        {users => (
          <Table
            label="Users"
            columns={columns(one => (act.value = one), loaded.reload)}
            rows={users}
            keyOf={({ id }) => id}
            empty="No users."
          />
        )}
      </Shown>
      {chosen?.kind === 'add' && <NewUser {...given} />}
      {chosen?.kind === 'change' && <ChangeUser user={chosen.user} {...given} />}
      {chosen?.kind === 'password' && <SetPassword user={chosen.user} {...given} />}
      {chosen?.kind === 'disable' && <DisableUser user={chosen.user} {...given} />}
    </>
  )
}

const isMe = ({ id }: Account): boolean => id === session.value?.user.id

const columns = (choose: (act: Act) => void, onDone: () => Promise<void>): readonly Column<Account>[] => [
  { head: 'Username', cell: user => `${user.username}${isMe(user) ? ' (you)' : ''}` },
  { head: 'Name', cell: ({ display_name }) => (display_name === '' ? '–' : display_name) },
  { head: 'Rights', cell: rightsOf },
  { head: 'Password', cell: ({ has_password }) => (has_password ? 'Set' : 'None') },
  { head: 'First sign-in', cell: ({ signed_in_at: at }) => (at === null ? 'Never' : <Time at={Date.parse(at)} isLong />) },
  {
    head: 'Acts',
    cell: user => (
      <div class="acts">
        <Button aria-label={`Change ${user.username}`} onClick={() => choose({ kind: 'change', user })}>
          Change
        </Button>
        <Button aria-label={`Set password of ${user.username}`} onClick={() => choose({ kind: 'password', user })}>
          Set password
        </Button>
        {user.disabled && <EnableUser user={user} onDone={onDone} />}
        {!user.disabled && !isMe(user) && (
          <Button aria-label={`Disable ${user.username}`} onClick={() => choose({ kind: 'disable', user })}>
            Disable
          </Button>
        )}
      </div>
    ),
  },
]

function rightsOf({ admin, disabled }: Account): string {
  const rights = admin ? 'Administrator' : 'User'
  return disabled ? `${rights}, disabled` : rights
}
