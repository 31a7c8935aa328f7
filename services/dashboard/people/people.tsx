// Members of the workspace and their roles. Owners add and remove members and change roles.
import { useSignal } from '@preact/signals'
import { ask, read } from '../data/api.ts'
import { may, type Role, session, workspace } from '../data/session.ts'
import { pageTitle } from '../data/title.ts'
import { reloadSession } from '../data/workspace.ts'
import { announce } from '../parts/announce.ts'
import { Button } from '../parts/button.tsx'
import { Confirm, FormDialog } from '../parts/confirm.tsx'
import { ChoiceField, TextField } from '../parts/form/field.tsx'
import { textOf } from '../parts/form/form.tsx'
import { Shown, useLoaded } from '../parts/loaded.tsx'
import { SettingsSections } from '../parts/sections.tsx'
import { type Column, Table } from '../parts/table/table.tsx'
import { roleOf, roles } from './roles.ts'

interface Member {
  user_id: string
  username: string
  display_name: string
  role: Role
  disabled: boolean
}

type Act = { kind: 'add' } | { kind: 'role' | 'remove'; member: Member }

const path = (id?: string): string =>
  `/session/workspaces/${encodeURIComponent(workspace.peek()?.id ?? '')}/members${id === undefined ? '' : `/${encodeURIComponent(id)}`}`

export function People() {
  pageTitle.value = 'People'
  const loaded = useLoaded(() => read<{ members: readonly Member[] }>(path()))
  const act = useSignal<Act | null>(null)
  const given = { onDone: loaded.reload, onClose: () => (act.value = null) }
  return (
    <>
      <SettingsSections />
      <div class="head">
        <h1>People</h1>
        {may('owner') && (
          <Button look="main" onClick={() => (act.value = { kind: 'add' })}>
            Add member
          </Button>
        )}
      </div>
      <p class="dim">The members of {workspace.value?.name}. Nobody else sees the workspace, administrators included.</p>
      <Shown of={loaded}>
        {({ members }) => (
          <Table
            label="Members"
            columns={columns(one => (act.value = one))}
            rows={members}
            keyOf={({ user_id }) => user_id}
            empty="No members."
          />
        )}
      </Shown>
      {act.value?.kind === 'add' && <Add {...given} />}
      {act.value?.kind === 'role' && <ChangeRole member={act.value.member} {...given} />}
      {act.value?.kind === 'remove' && <Remove member={act.value.member} {...given} />}
    </>
  )
}

const isMe = ({ user_id }: Member): boolean => user_id === session.value?.user.id

function columns(choose: (act: Act) => void): readonly Column<Member>[] {
  const shown: readonly Column<Member>[] = [
    { head: 'Username', cell: member => `${member.username}${isMe(member) ? ' (you)' : ''}` },
    { head: 'Name', cell: ({ display_name }) => (display_name === '' ? '–' : display_name) },
    { head: 'Role', cell: ({ role, disabled }) => `${role}${disabled ? ', account disabled' : ''}` },
  ]
  if (!may('owner')) return shown
  const acts = (member: Member) => (
    <div class="acts">
      <Button aria-label={`Change role: ${member.username}`} onClick={() => choose({ kind: 'role', member })}>
        Change role
      </Button>
      {!isMe(member) && (
        <Button aria-label={`Remove: ${member.username}`} onClick={() => choose({ kind: 'remove', member })}>
          Remove
        </Button>
      )}
    </div>
  )
  return [...shown, { head: 'Acts', cell: acts }]
}

interface DialogProps {
  onDone(): Promise<void>
  onClose(): void
}

function Add({ onDone, onClose }: DialogProps) {
  const send = async (values: FormData) => {
    const body = { username: textOf(values, 'username'), role: roleOf(textOf(values, 'role')) }
    const added = await ask<Member>('POST', path(), body)
    announce(`${added.username} is a member now, as ${added.role}.`)
    await onDone()
  }
  return (
    <FormDialog title="Add a member" act="Add member" fields={['username', 'role']} send={send} onClose={onClose}>
      <TextField name="username" label="Username" autoComplete="off" hint="Of an account that exists." />
      <ChoiceField name="role" label="Role" of={roles} />
    </FormDialog>
  )
}

function ChangeRole({ member, onDone, onClose }: DialogProps & { member: Member }) {
  const send = async (values: FormData) => {
    const body = { role: roleOf(textOf(values, 'role')) }
    const { username, role } = await ask<Member>('PATCH', path(member.user_id), body)
    if (isMe(member)) await reloadSession()
    announce(`${username} is ${role} now.`)
    await onDone()
  }
  return (
    <FormDialog title={`Role of ${member.username}`} act="Change role" fields={['role']} send={send} onClose={onClose}>
      <ChoiceField name="role" label="Role" of={roles} defaultValue={member.role} />
      {isMe(member) && <p class="hint">As editor or viewer you no longer name members, and cannot take this back yourself.</p>}
    </FormDialog>
  )
}

function Remove({ member, onDone, onClose }: DialogProps & { member: Member }) {
  const send = async () => {
    await ask('DELETE', path(member.user_id))
    announce(`${member.username} is no member any more.`)
    await onDone()
  }
  return (
    <Confirm title={`Remove ${member.username}?`} act="Remove member" send={send} onClose={onClose}>
      <p>
        {member.username} no longer sees {workspace.value?.name}, and the keys of {member.username} for it alone stop. The account
        stays.
      </p>
    </Confirm>
  )
}
