// Form that creates an API key.
import { useSignal } from '@preact/signals'
import { ask } from '../data/api.ts'
import { session, workspace } from '../data/session.ts'
import { FormDialog } from '../parts/confirm.tsx'
import { CheckField, ChoiceField, TextField } from '../parts/form/field.tsx'
import { textOf } from '../parts/form/form.tsx'
import { keyActions } from './access.ts'

export interface MadeKey {
  description: string
  token: string
}

interface NewKeyProps {
  onMade(made: MadeKey): Promise<void>
  onClose(): void
}

export function NewKey({ onMade, onClose }: NewKeyProps) {
  const isScoped = useSignal(workspace.value !== null)
  const send = async (values: FormData) => {
    const scope = { workspace_id: textOf(values, 'workspace_id'), actions: values.getAll('actions') }
    const body = { description: textOf(values, 'description'), ...(isScoped.peek() ? { scope } : {}) }
    await onMade(await ask<MadeKey>('POST', '/session/keys', body))
  }
  return (
    <FormDialog title="Create an API key" act="Create key" fields={['description', 'workspace_id']} send={send} onClose={onClose}>
      <TextField name="description" label="Description" hint="What uses the key, such as a script or a machine." />
      <ChoiceField
        name="access"
        label="Access"
        defaultValue={isScoped.value ? 'scoped' : 'full'}
        of={[
          { value: 'scoped', word: 'Scoped: one workspace and chosen actions' },
          { value: 'full', word: 'Full: all that you may' },
        ]}
        onChange={({ currentTarget: { value } }) => {
          isScoped.value = value === 'scoped'
        }}
      />
      {isScoped.value ? <Scope /> : <p class="hint">The key may do all that you may, in each of your workspaces.</p>}
      <p class="hint">A key is valid for 180 days.</p>
    </FormDialog>
  )
}

function Scope() {
  const workspaces = (session.value?.workspaces ?? []).map(({ id, name }) => ({ value: id, word: name }))
  return (
    <>
      <ChoiceField name="workspace_id" label="Workspace" of={workspaces} defaultValue={workspace.value?.id ?? ''} />
      <fieldset>
        <legend>Actions besides reading</legend>
        {keyActions.map(({ action, word }) => (
          <CheckField key={action} name="actions" value={action} label={word.charAt(0).toUpperCase() + word.slice(1)} />
        ))}
      </fieldset>
      <p class="hint">Your role in the workspace limits the key too. Only generation 3 of the API takes a scoped key.</p>
    </>
  )
}
