// Dialogs that create, replace and remove the secret that signs the messages of a destination. Only owners can open these dialogs, because
// a person with the secret can forge messages.
import type { SentDestination } from '#shared/contracts/notifications/sent-destination.ts'
import { ask } from '../data/api.ts'
import { workspaceId } from '../data/session.ts'
import { announce } from '../parts/announce.ts'
import { FormDialog } from '../parts/confirm.tsx'
import { ChoiceField } from '../parts/form/field.tsx'
import { textOf } from '../parts/form/form.tsx'

interface SecretProps {
  destination: SentDestination
  onMade(secret: string): void
  onClose(): void
}

const graceSeconds = 86_400

export function SigningSecret({ destination: { id, name }, onMade, onClose }: SecretProps) {
  const send = async (values: FormData) => {
    const path = `/session/workspaces/${encodeURIComponent(workspaceId.peek() ?? '')}/destinations/${encodeURIComponent(id)}/secret`
    const act = textOf(values, 'act')
    if (act === 'remove') {
      await ask('DELETE', path)
      announce(`Messages to ${name} are not signed any more.`)
      return
    }
    const body = act === 'rotate' ? { rotate: true, grace_seconds: graceSeconds } : {}
    const { secret } = await ask<{ secret: string }>('POST', path, body)
    onMade(secret)
  }
  return (
    <FormDialog title={`Signing secret of ${name}`} act="Go on" fields={['act']} send={send} onClose={onClose}>
      <ChoiceField
        name="act"
        label="What to do"
        of={[
          { value: 'make', word: 'Make the first secret' },
          { value: 'rotate', word: 'Make another: the one before signs too for 24 hours' },
          { value: 'remove', word: 'Remove it: messages are not signed any more' },
        ]}
      />
      <p class="hint">
        Receivers check the signature of each message with the secret. A receiver that demands a signature refuses unsigned
        messages.
      </p>
    </FormDialog>
  )
}
