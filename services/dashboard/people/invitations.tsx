// Invitations to the signed-in person, with buttons to accept and to decline them.
import { useSignal } from '@preact/signals'
import { askV3, sentenceOf } from '../data/api.ts'
import { type Invitation, session, type Workspace, workspace } from '../data/session.ts'
import { chooseWorkspace, reloadSession } from '../data/workspace.ts'
import { announce } from '../parts/announce.ts'
import { Button } from '../parts/button.tsx'
import { Time } from '../parts/time.tsx'

export function Invitations() {
  const all = session.value?.invitations ?? []
  if (all.length === 0) return null
  return (
    <section class="empty" aria-label="Invitations">
      {all.map(one => (
        <Invited key={one.id} invitation={one} />
      ))}
    </section>
  )
}

function Invited({ invitation }: { invitation: Invitation }) {
  const busy = useSignal(false)
  const { workspace: name, role, invited_by: by } = invitation
  const path = `/invitations/${encodeURIComponent(invitation.id)}`
  const act = (run: () => Promise<string>) => async () => {
    busy.value = true
    try {
      announce(await run())
    } catch (error) {
      announce(sentenceOf(error), { isRefusal: true })
    }
    busy.value = false
    // After a refusal too, because the invitation may have ended meanwhile.
    await reloadSession().catch(() => undefined)
    document.getElementById('main')?.focus()
  }
  const accept = act(async () => {
    const joined = await askV3<Workspace>('POST', `${path}/accept`, {})
    await reloadSession()
    if (workspace.peek() === null) chooseWorkspace(joined.id)
    return `You are a member of ${joined.name} now, as ${joined.role}.`
  })
  const decline = act(async () => {
    await askV3('DELETE', path)
    return `Invitation to ${name} declined.`
  })
  const inviter = by.display_name === '' ? by.username : `${by.display_name} (${by.username})`
  return (
    <div>
      <p>
        {inviter} invites you to the workspace <strong>{name}</strong>, as {role}. The invitation ends{' '}
        <Time at={Date.parse(invitation.expires_at)} isLong />.
      </p>
      <div class="acts">
        <Button look="main" aria-label={`Accept: ${name}`} isBusy={busy.value} onClick={() => void accept()}>
          Accept
        </Button>
        <Button aria-label={`Decline: ${name}`} isBusy={busy.value} onClick={() => void decline()}>
          Decline
        </Button>
      </div>
    </div>
  )
}
