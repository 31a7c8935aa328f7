// Actions on an account: create, change, set a password, disable and enable. Administrators cannot remove their own rights as
// administrators.
import { ask, askV3 } from '../data/api.ts'
import { session } from '../data/session.ts'
import { reloadSession } from '../data/workspace.ts'
import { useAct } from '../parts/act.ts'
import { announce } from '../parts/announce.ts'
import { Button } from '../parts/button.tsx'
import { Confirm, FormDialog } from '../parts/confirm.tsx'
import { CheckField, TextField } from '../parts/form/field.tsx'
import { textOf } from '../parts/form/form.tsx'

export interface Account {
  id: string
  username: string
  display_name: string
  admin: boolean
  disabled: boolean
  has_password: boolean
  signed_in_at: string | null
}

interface ActProps {
  onDone(): Promise<void>
  onClose(): void
}

type UserProps = ActProps & { user: Account }

const path = (id: string): string => `/users/${encodeURIComponent(id)}`

export function NewUser({ onDone, onClose }: ActProps) {
  const send = async (values: FormData) => {
    const password = values.get('password')
    const body = {
      username: textOf(values, 'username'),
      display_name: textOf(values, 'display_name'),
      admin: values.has('admin'),
      ...(password === '' ? {} : { password }),
    }
    const { username } = await askV3<Account>('POST', '/users', body)
    announce(`User ${username} added.`)
    await onDone()
  }
  const fields = ['username', 'display_name', 'password', 'admin']
  return (
    <FormDialog title="Add a user" act="Add user" fields={fields} send={send} onClose={onClose}>
      <TextField name="username" label="Username" autoComplete="off" />
      <TextField name="display_name" label="Display name" autoComplete="off" hint="May be empty." />
      <TextField
        name="password"
        label="First password"
        type="password"
        autoComplete="new-password"
        hint="The person changes it on the account page. Without one, the account waits for a password."
      />
      <CheckField name="admin" label="Administrator" hint="Manages locations, probers and accounts." />
    </FormDialog>
  )
}

export function ChangeUser({ user, onDone, onClose }: UserProps) {
  const isMe = user.id === session.value?.user.id
  const send = async (values: FormData) => {
    const rights = isMe ? {} : { admin: values.has('admin') }
    const body = { display_name: textOf(values, 'display_name'), ...rights }
    await askV3<Account>('PATCH', path(user.id), body)
    if (isMe) await reloadSession()
    announce(`User ${user.username} changed.`)
    await onDone()
  }
  return (
    <FormDialog title={`Change ${user.username}`} act="Save" fields={['display_name', 'admin']} send={send} onClose={onClose}>
      <TextField name="display_name" label="Display name" autoComplete="off" defaultValue={user.display_name} />
      {isMe ? (
        <p class="hint">Another administrator can take the right of administration from you.</p>
      ) : (
        <CheckField
          name="admin"
          label="Administrator"
          defaultChecked={user.admin}
          hint="Manages locations, probers and accounts."
        />
      )}
    </FormDialog>
  )
}

export function SetPassword({ user, onDone, onClose }: UserProps) {
  const send = async (values: FormData) => {
    const body = { password: values.get('password') }
    await ask('PUT', `/session${path(user.id)}/password`, body)
    announce(`Password of ${user.username} set.`)
    await onDone()
  }
  return (
    <FormDialog
      title={`Set the password of ${user.username}`}
      act="Set password"
      fields={['password']}
      send={send}
      onClose={onClose}
    >
      <TextField name="password" label="New password" type="password" autoComplete="new-password" />
      <p class="hint">The present password and all sessions of {user.username} end.</p>
    </FormDialog>
  )
}

export function DisableUser({ user, onDone, onClose }: UserProps) {
  const send = async () => {
    await askV3('PATCH', path(user.id), { disabled: true })
    announce(`User ${user.username} disabled.`)
    await onDone()
  }
  return (
    <Confirm title={`Disable ${user.username}?`} act="Disable user" send={send} onClose={onClose}>
      <p>
        The sessions of {user.username} end at once, and programs that use the keys of {user.username} are refused. Memberships
        stay.
      </p>
    </Confirm>
  )
}

export function EnableUser({ user, onDone }: Omit<UserProps, 'onClose'>) {
  const enable = useAct(async () => {
    await askV3('PATCH', path(user.id), { disabled: false })
    await onDone()
    return `User ${user.username} enabled: may sign in, and the keys work again.`
  })
  return (
    <Button aria-label={`Enable ${user.username}`} isBusy={enable.isBusy} onClick={enable.run}>
      Enable
    </Button>
  )
}
