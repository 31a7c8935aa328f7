// The present workspace: its name, and actions to leave or delete this workspace and to create another workspace.
import { useSignal } from '@preact/signals'
import { askV3 } from '../data/api.ts'
import { go } from '../data/router.ts'
import { may, session, type Workspace, workspace } from '../data/session.ts'
import { pageTitle } from '../data/title.ts'
import { chooseWorkspace, reloadSession } from '../data/workspace.ts'
import { announce } from '../parts/announce.ts'
import { Button } from '../parts/button.tsx'
import { Confirm, FormDialog } from '../parts/confirm.tsx'
import { TextField } from '../parts/form/field.tsx'
import { Form, textOf } from '../parts/form/form.tsx'
import { SettingsSections } from '../parts/sections.tsx'

export function WorkspaceSettings() {
  pageTitle.value = 'Workspace'
  const dialog = useSignal<'create' | 'leave' | 'delete' | null>(null)
  const present = workspace.value
  const close = () => (dialog.value = null)
  return (
    <>
      <SettingsSections />
      <div class="head">
        <h1>Workspace</h1>
        <Button onClick={() => (dialog.value = 'create')}>
          {present === null ? 'Create a workspace' : 'Create another workspace'}
        </Button>
      </div>
      {present !== null && <Present key={present.id} present={present} />}
      {present !== null && (
        <>
          <h2>Leave</h2>
          <p class="dim">Your keys for this workspace alone stop too.</p>
          <Button onClick={() => (dialog.value = 'leave')}>Leave {present.name}</Button>
        </>
      )}
      {may('owner') && present !== null && (
        <>
          <h2>Delete</h2>
          <p class="dim">All that is in the workspace is deleted for good, for every member.</p>
          <Button look="danger" onClick={() => (dialog.value = 'delete')}>
            Delete {present.name}
          </Button>
        </>
      )}
      {dialog.value === 'create' && <Create onClose={close} />}
      {dialog.value === 'delete' && present !== null && <Delete deleted={present} onClose={close} />}
      {dialog.value === 'leave' && present !== null && <Leave left={present} onClose={close} />}
    </>
  )
}

const pathOf = (id: string): string => `/workspaces/${encodeURIComponent(id)}`

function Present({ present }: { present: Workspace }) {
  const rename = async (values: FormData) => {
    const { name } = await askV3<Workspace>('PATCH', pathOf(present.id), { name: textOf(values, 'name') })
    await reloadSession()
    announce(`The workspace is named ${name} now.`)
  }
  return (
    <>
      <dl class="facts">
        <dt>Name</dt>
        <dd>{present.name}</dd>
        <dt>Your role</dt>
        <dd>{present.role}</dd>
      </dl>
      {may('owner') && (
        <Form fields={['name']} act="Rename" send={rename}>
          <TextField name="name" label="New name" defaultValue={present.name} />
        </Form>
      )}
    </>
  )
}

function Create({ onClose }: { onClose(): void }) {
  const create = async (values: FormData) => {
    const made = await askV3<Workspace>('POST', '/workspaces', { name: textOf(values, 'name') })
    await reloadSession()
    chooseWorkspace(made.id)
    announce(`Workspace ${made.name} created. You own it and see it now.`)
  }
  return (
    <FormDialog title="Create a workspace" act="Create workspace" fields={['name']} send={create} onClose={onClose}>
      <TextField name="name" label="Name" hint="You become its owner." />
    </FormDialog>
  )
}

/** Shows another workspace after the person's membership of the present one has ended. */
async function showAnother(): Promise<void> {
  await reloadSession()
  const next = session.peek()?.workspaces[0]
  if (next !== undefined) chooseWorkspace(next.id)
}

function Leave({ left, onClose }: { left: Workspace; onClose(): void }) {
  const leave = async () => {
    const me = session.peek()?.user.id ?? ''
    await askV3('DELETE', `${pathOf(left.id)}/members/${encodeURIComponent(me)}`)
    await showAnother()
    announce(`You left ${left.name}.`)
    go('/')
  }
  return (
    <Confirm title={`Leave ${left.name}?`} act="Leave workspace" send={leave} onClose={onClose}>
      <p>
        You no longer see its monitors, Incidents and history, and your keys for it alone stop. An owner can invite you again.
      </p>
    </Confirm>
  )
}

function Delete({ deleted, onClose }: { deleted: Workspace; onClose(): void }) {
  const send = async (values: FormData) => {
    await askV3('POST', `${pathOf(deleted.id)}/deletion`, { name: textOf(values, 'name') })
    await showAnother()
    announce(`Workspace ${deleted.name} deleted.`)
    go('/')
  }
  return (
    <FormDialog
      title={`Delete ${deleted.name}?`}
      act="Delete workspace"
      look="danger"
      fields={['name']}
      send={send}
      onClose={onClose}
    >
      <p>
        Its monitors with their Incidents and history, its destinations, Templates and addresses are deleted, and no message is
        sent about them. Nobody can undo this. The accounts of its members stay.
      </p>
      <TextField name="name" label={`Type ${deleted.name} to delete it`} autoComplete="off" />
    </FormDialog>
  )
}
