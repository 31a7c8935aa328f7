// Members of the workspace and their roles, and pending invitations. Owners invite and remove people and change roles; an administrator
// among them also adds people without asking.
import { useSignal } from '@preact/signals'
import { askV3 } from '../data/api.ts'
import { isAdmin, may, type Role, session, workspace } from '../data/session.ts'
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
import { Time } from '../parts/time.tsx'
import { roleOf, roles } from './roles.ts'

interface Member {
  id: string
  username: string
  /** The username if the person has no display name. */
  name: string
  role: Role
}

interface Members {
  members: readonly Member[]
  /** Ids of those whose account is disabled. */
  disabled: ReadonlySet<string>
}

/** A pending invitation of a name. Nothing here says whether somebody has the name. */
interface SentInvitation {
  id: string
  username: string
  role: Role
  invited_by: string
  created_at: string
  expires_at: string
}

type Act = { kind: 'add' | 'invite' } | { kind: 'role' | 'remove'; member: Member } | { kind: 'withdraw'; sent: SentInvitation }

const path = (list: 'members' | 'invitations', id?: string): string =>
  `/workspaces/${encodeURIComponent(workspace.peek()?.id ?? '')}/${list}${id === undefined ? '' : `/${encodeURIComponent(id)}`}`

async function readMembers(): Promise<Members> {
  const [members, disabled] = await Promise.all(
    ['', '?disabled=true'].map(filter => askV3<readonly Member[]>('GET', `${path('members')}${filter}`)),
  )
  return { members: members ?? [], disabled: new Set(disabled?.map(({ id }) => id)) }
}

export function People() {
  pageTitle.value = 'People'
  const loaded = useLoaded(readMembers)
  const invited = useLoaded(async () => (may('owner') ? askV3<readonly SentInvitation[]>('GET', path('invitations')) : []))
  const act = useSignal<Act | null>(null)
  const reload = async () => void (await Promise.all([loaded.reload(), invited.reload()]))
  const given = { onDone: reload, onClose: () => (act.value = null) }
  return (
    <>
      <SettingsSections />
      <div class="head">
        <h1>People</h1>
        {may('owner') && (
          <div class="acts">
            {isAdmin.value && <Button onClick={() => (act.value = { kind: 'add' })}>Add member</Button>}
            <Button look="main" onClick={() => (act.value = { kind: 'invite' })}>
              Invite
            </Button>
          </div>
        )}
      </div>
      <p class="dim">The members of {workspace.value?.name}. Nobody else sees the workspace, administrators included.</p>
      <Shown of={loaded}>
        {({ members, disabled }) => (
          <Table
            label="Members"
            columns={columns(disabled, one => (act.value = one))}
            rows={members}
            keyOf={({ id }) => id}
            empty="No members."
          />
        )}
      </Shown>
      {may('owner') && (
        <>
          <h2>Invitations</h2>
          <Shown of={invited}>
            {invitations => (
              <Table
                label="Invitations"
                columns={invitationColumns(sent => (act.value = { kind: 'withdraw', sent }))}
                rows={invitations}
                keyOf={({ id }) => id}
                empty="No invitation is pending."
              />
            )}
          </Shown>
        </>
      )}
      {act.value?.kind === 'invite' && <Invite {...given} />}
      {act.value?.kind === 'withdraw' && <Withdraw sent={act.value.sent} {...given} />}
      {act.value?.kind === 'add' && <Add {...given} />}
      {act.value?.kind === 'role' && <ChangeRole member={act.value.member} {...given} />}
      {act.value?.kind === 'remove' && <Remove member={act.value.member} {...given} />}
    </>
  )
}

const isMe = ({ id }: Member): boolean => id === session.value?.user.id

function columns(disabled: ReadonlySet<string>, choose: (act: Act) => void): readonly Column<Member>[] {
  const shown: readonly Column<Member>[] = [
    { head: 'Username', cell: member => `${member.username}${isMe(member) ? ' (you)' : ''}` },
    { head: 'Name', cell: ({ name, username }) => (name === username ? '–' : name) },
    { head: 'Role', cell: ({ id, role }) => `${role}${disabled.has(id) ? ', account disabled' : ''}` },
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

const invitationColumns = (withdraw: (sent: SentInvitation) => void): readonly Column<SentInvitation>[] => [
  { head: 'Username', cell: ({ username }) => username },
  { head: 'Role', cell: ({ role }) => role },
  { head: 'Invited by', cell: ({ invited_by }) => invited_by },
  { head: 'Invited', cell: ({ created_at }) => <Time at={Date.parse(created_at)} isLong /> },
  { head: 'Ends', cell: ({ expires_at }) => <Time at={Date.parse(expires_at)} isLong /> },
  {
    head: 'Acts',
    cell: sent => (
      <Button aria-label={`Withdraw: ${sent.username}`} onClick={() => withdraw(sent)}>
        Withdraw
      </Button>
    ),
  },
]

interface DialogProps {
  onDone(): Promise<void>
  onClose(): void
}

const invite = (username: string, role: Role): Promise<SentInvitation> =>
  askV3<SentInvitation>('POST', path('invitations'), { username, role })

function Invite({ onDone, onClose }: DialogProps) {
  const send = async (name: string, wanted: Role) => {
    const { username, role } = await invite(name, wanted)
    announce(`${username} is invited, as ${role}.`)
    await onDone()
  }
  const hint = 'The person accepts at the next sign-in. Nobody is told whether an account of this name exists.'
  return <NameDialog title="Invite a person" act="Invite" hint={hint} send={send} onClose={onClose} />
}

function Withdraw({ sent, onDone, onClose }: DialogProps & { sent: SentInvitation }) {
  const send = async () => {
    await askV3('DELETE', path('invitations', sent.id))
    announce(`The invitation of ${sent.username} is withdrawn.`)
    await onDone()
  }
  return (
    <Confirm title={`Withdraw the invitation of ${sent.username}?`} act="Withdraw" send={send} onClose={onClose}>
      <p>The invitation can no longer be accepted. You can invite {sent.username} again.</p>
    </Confirm>
  )
}

function Add({ onDone, onClose }: DialogProps) {
  const send = async (name: string, wanted: Role) => {
    const { username, role } = await askV3<Member>('POST', path('members'), { username: name, role: wanted })
    announce(`${username} is a member now, as ${role}.`)
    await onDone()
  }
  const hint = 'Of an account that exists. As an administrator you add people without asking them.'
  return <NameDialog title="Add a member" act="Add member" hint={hint} send={send} onClose={onClose} />
}

interface NameDialogProps extends Pick<DialogProps, 'onClose'> {
  title: string
  act: string
  hint: string
  send(username: string, role: Role): Promise<void>
}

/** Asks for a username and a role. */
function NameDialog({ title, act, hint, send, onClose }: NameDialogProps) {
  const sendNamed = (values: FormData) => send(textOf(values, 'username'), roleOf(textOf(values, 'role')))
  return (
    <FormDialog title={title} act={act} fields={['username', 'role']} send={sendNamed} onClose={onClose}>
      <TextField name="username" label="Username" autoComplete="off" hint={hint} />
      <ChoiceField name="role" label="Role" of={roles} />
    </FormDialog>
  )
}

function ChangeRole({ member, onDone, onClose }: DialogProps & { member: Member }) {
  const send = async (values: FormData) => {
    const wanted = roleOf(textOf(values, 'role'))
    if (wanted === 'owner' && member.role !== 'owner' && !isAdmin.peek()) {
      await invite(member.username, wanted)
      announce(`${member.username} is invited to be owner.`)
      return onDone()
    }
    const { username, role } = await askV3<Member>('PATCH', path('members', member.id), { role: wanted })
    if (isMe(member)) await reloadSession()
    announce(`${username} is ${role} now.`)
    await onDone()
  }
  return (
    <FormDialog title={`Role of ${member.username}`} act="Change role" fields={['role']} send={send} onClose={onClose}>
      <ChoiceField name="role" label="Role" of={roles} defaultValue={member.role} />
      {isMe(member) && <p class="hint">As editor or viewer you no longer name members, and cannot take this back yourself.</p>}
      {!isMe(member) && !isAdmin.value && <p class="hint">Nobody becomes an owner without accepting an invitation.</p>}
    </FormDialog>
  )
}

function Remove({ member, onDone, onClose }: DialogProps & { member: Member }) {
  const send = async () => {
    await askV3('DELETE', path('members', member.id))
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
