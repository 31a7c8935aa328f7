// One transformation: its template, the destinations that use it, and its actions.
import { useSignal } from '@preact/signals'
import { useAct } from '../parts/act.ts'
import { announce } from '../parts/announce.ts'
import { Button } from '../parts/button.tsx'
import { Confirm, FormDialog } from '../parts/confirm.tsx'
import { ChoiceField } from '../parts/form/field.tsx'
import { textOf } from '../parts/form/form.tsx'
import {
  deleteTransformation,
  giveTransformation,
  lossOf,
  type Receiver,
  type Transformation,
  usedBy,
  usersOf,
} from './transformation.ts'

interface CardProps {
  transformation: Transformation
  receivers: readonly Receiver[]
  onEdit(): void
  onChanged(): Promise<void>
}

export function TransformationCard({ transformation, receivers, onEdit, onChanged }: CardProps) {
  const dialog = useSignal<'give' | 'delete' | null>(null)
  const { name, template, content_type: type } = transformation
  const users = usersOf(transformation, receivers)
  const others = receivers.filter(one => !users.includes(one))
  const given = { transformation, onChanged, onClose: () => (dialog.value = null) }
  return (
    <li class="card">
      <h2>
        {name} <span class="label">{type === 'application/json' ? 'JSON' : 'Text'}</span>
      </h2>
      <p class="dim">{usedBy(users.map(user => user.name))}</p>
      <pre class="excerpt">{template}</pre>
      <div class="acts">
        <Button aria-label={`Edit: ${name}`} onClick={onEdit}>
          Edit
        </Button>
        {others.length > 0 && (
          <Button aria-label={`Give to a destination: ${name}`} onClick={() => (dialog.value = 'give')}>
            Give to a destination
          </Button>
        )}
        {users.map(user => (
          <Take key={user.id} from={user} onChanged={onChanged} />
        ))}
        <Button aria-label={`Delete: ${name}`} onClick={() => (dialog.value = 'delete')}>
          Delete
        </Button>
      </div>
      {dialog.value === 'give' && <Give {...given} others={others} />}
      {dialog.value === 'delete' && <Delete {...given} users={users} />}
    </li>
  )
}

function Take({ from: { id, name }, onChanged }: { from: Receiver; onChanged(): Promise<void> }) {
  const take = useAct(async () => {
    await giveTransformation(id, null)
    await onChanged()
    return `${name} gets the usual message from now on.`
  })
  return (
    <Button isBusy={take.isBusy} onClick={take.run}>
      Give {name} the usual message
    </Button>
  )
}

interface ActProps extends Pick<CardProps, 'transformation' | 'onChanged'> {
  onClose(): void
}

function Give({ transformation: { id, name }, others, onChanged, onClose }: ActProps & { others: readonly Receiver[] }) {
  const send = async (values: FormData) => {
    const receiver = others.find(one => String(one.id) === textOf(values, 'destination'))
    if (receiver === undefined) return
    await giveTransformation(receiver.id, id)
    announce(`Messages to ${receiver.name} are written by ${name} from now on.`)
    await onChanged()
  }
  const choices = others.map(one => ({
    value: String(one.id),
    word: one.transformation_id === null ? one.name : `${one.name}, in place of another transformation`,
  }))
  return (
    <FormDialog title={`Give ${name} to a destination`} act="Give it" fields={['destination']} send={send} onClose={onClose}>
      <ChoiceField name="destination" label="Destination" of={choices} />
      <p class="hint">Its next message is written by {name}. Send a test on the page of destinations to see one arrive.</p>
    </FormDialog>
  )
}

function Delete({ transformation: { id, name }, users, onChanged, onClose }: ActProps & { users: readonly Receiver[] }) {
  const send = async () => {
    await deleteTransformation(id)
    announce(`Transformation ${name} deleted.`)
    await onChanged()
  }
  return (
    <Confirm title={`Delete ${name}?`} act="Delete transformation" send={send} onClose={onClose}>
      <p>{lossOf(users.map(user => user.name))}</p>
    </Confirm>
  )
}
