// API keys of the signed-in person: the list, and actions to create and revoke a key.
import { useSignal } from '@preact/signals'
import { ask, read } from '../data/api.ts'
import { now } from '../data/clock.ts'
import { session } from '../data/session.ts'
import { pageTitle } from '../data/title.ts'
import { announce } from '../parts/announce.ts'
import { Button } from '../parts/button.tsx'
import { Confirm } from '../parts/confirm.tsx'
import { Shown, useLoaded } from '../parts/loaded.tsx'
import { ShownOnce } from '../parts/shown-once.tsx'
import { type Column, Table } from '../parts/table/table.tsx'
import { Time } from '../parts/time.tsx'
import { accessWords } from './access.ts'
import { type MadeKey, NewKey } from './new-key.tsx'

interface Key {
  id: string
  prefix: string
  description: string
  created_at: string
  expires_at: string
  last_used_at: string | null
  access: readonly string[]
  workspace_id: string | null
}

export function Keys() {
  pageTitle.value = 'API keys'
  const loaded = useLoaded(() => read<{ keys: readonly Key[] }>('/session/keys'))
  const made = useSignal<MadeKey | null>(null)
  const isMaking = useSignal(false)
  const revoked = useSignal<Key | null>(null)
  const show = async (key: MadeKey) => {
    await loaded.reload()
    // Closes the dialog before the token is shown, because the focus then moves to the token.
    isMaking.value = false
    made.value = key
  }
  return (
    <>
      <div class="head">
        <h1>API keys</h1>
        <Button look="main" onClick={() => (isMaking.value = true)}>
          Create key
        </Button>
      </div>
      <p class="dim">Programs use a key instead of a password. These keys are yours and have at most your rights.</p>
      {made.value !== null && (
        <ShownOnce
          title={`Key created: ${made.value.description || 'no description'}`}
          noun="Token"
          secret={made.value.token}
          onDone={() => (made.value = null)}
        />
      )}
      <Shown of={loaded}>
        {({ keys }) => (
          <Table
            label="API keys"
            columns={columns(key => (revoked.value = key))}
            rows={keys}
            keyOf={({ id }) => id}
            empty="No keys yet."
          />
        )}
      </Shown>
      {isMaking.value && <NewKey onMade={show} onClose={() => (isMaking.value = false)} />}
      {revoked.value !== null && <Revoke revoked={revoked.value} onDone={loaded.reload} onClose={() => (revoked.value = null)} />}
    </>
  )
}

const nameOf = ({ description, prefix }: Key): string => (description === '' ? `${prefix}…` : description)

const workspaceName = (id: string | null): string | null =>
  session.value?.workspaces.find(workspace => workspace.id === id)?.name ?? null

const columns = (revoke: (key: Key) => void): readonly Column<Key>[] => [
  { head: 'Description', cell: key => (key.description === '' ? '–' : key.description) },
  { head: 'Token', cell: ({ prefix }) => <code>{prefix}…</code> },
  { head: 'Access', cell: ({ access, workspace_id }) => accessWords(access, workspaceName(workspace_id)) },
  { head: 'Last used', cell: ({ last_used_at: at }) => (at === null ? 'Never' : <Time at={Date.parse(at)} isLong />) },
  { head: 'Valid until', cell: ({ expires_at }) => <Validity at={Date.parse(expires_at)} /> },
  {
    head: 'Acts',
    cell: key => (
      <Button aria-label={`Revoke ${nameOf(key)}`} onClick={() => revoke(key)}>
        Revoke
      </Button>
    ),
  },
]

function Validity({ at }: { at: number }) {
  return (
    <>
      {at <= now.value && 'Expired: '}
      <Time at={at} isLong />
    </>
  )
}

function Revoke({ revoked, onDone, onClose }: { revoked: Key; onDone(): Promise<void>; onClose(): void }) {
  const send = async () => {
    await ask('DELETE', `/session/keys/${encodeURIComponent(revoked.id)}`)
    announce(`Key ${nameOf(revoked)} revoked.`)
    await onDone()
  }
  return (
    <Confirm title={`Revoke ${nameOf(revoked)}?`} act="Revoke key" send={send} onClose={onClose}>
      <p>
        Each program that uses the key <code>{revoked.prefix}…</code> is refused within a second. A revoked key never comes back.
      </p>
    </Confirm>
  )
}
