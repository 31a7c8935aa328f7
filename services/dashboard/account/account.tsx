// Account of the signed-in person: name, memberships and password.
import { ask, Refusal } from '../data/api.ts'
import { session } from '../data/session.ts'
import { pageTitle } from '../data/title.ts'
import { announce } from '../parts/announce.ts'
import { TextField } from '../parts/form/field.tsx'
import { Form } from '../parts/form/form.tsx'

function Account() {
  pageTitle.value = 'Account'
  const known = session.value
  if (known === null) return null
  const { user, workspaces } = known
  return (
    <>
      <h1>Account</h1>
      <dl class="facts">
        <dt>Username</dt>
        <dd>{user.username}</dd>
        <dt>Name</dt>
        <dd>{user.display_name === '' ? '–' : user.display_name}</dd>
        <dt>Administrator</dt>
        <dd>{user.admin ? 'Yes' : 'No'}</dd>
        <dt>Workspaces</dt>
        <dd>{workspaces.length === 0 ? 'None' : workspaces.map(({ name, role }) => `${name} (${role})`).join(', ')}</dd>
      </dl>
      <h2>Password</h2>
      {user.has_password ? <PasswordForm /> : <p class="dim">This account signs in without a password.</p>}
    </>
  )
}

function PasswordForm() {
  const send = async (values: FormData) => {
    if (values.get('password') !== values.get('again')) {
      throw new Refusal(0, '', 'The two new passwords differ.', 'again')
    }
    try {
      await ask('PUT', '/session/password', {
        current_password: values.get('current_password'),
        password: values.get('password'),
      })
    } catch (error) {
      if (error instanceof Refusal && error.code === 'wrong_credentials') {
        throw new Refusal(error.status, error.code, 'The current password is wrong.', 'current_password')
      }
      throw error
    }
    announce('Password changed. Your other sessions have ended.')
  }
  return (
    <Form fields={['current_password', 'password', 'again']} act="Change password" send={send}>
      <TextField name="current_password" label="Current password" type="password" autoComplete="current-password" required />
      <TextField name="password" label="New password" type="password" autoComplete="new-password" required />
      <TextField name="again" label="New password again" type="password" autoComplete="new-password" required />
      <p class="hint">All your other sessions end.</p>
    </Form>
  )
}

export { Account as account }
