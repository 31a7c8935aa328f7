// One destination: its type, its state (enabled or not), and the actions of editors and owners.

import { useSignal } from '@preact/signals'
import { isSteps } from '#shared/channels/steps.ts'
import { isTaken } from '#shared/contracts/notifications/delivery-status.ts'
import type { SettingStep } from '#shared/contracts/notifications/destination.ts'
import type { SentDestination } from '#shared/contracts/notifications/sent-destination.ts'
import { askV3 } from '../data/api.ts'
import { serverNow } from '../data/clock.ts'
import { may } from '../data/session.ts'
import { useAct } from '../parts/act.ts'
import { announce } from '../parts/announce.ts'
import { Button } from '../parts/button.tsx'
import { Confirm } from '../parts/confirm.tsx'
import { ShownOnce } from '../parts/shown-once.tsx'
import { Time } from '../parts/time.tsx'
import type { ListedChannel } from './channels.ts'
import { destinationPath, type Outcome, outcomeSentence } from './destination.ts'
import { ChangeDestination } from './destination-form.tsx'
import { SigningSecret } from './signing-secret.tsx'

interface CardProps {
  destination: SentDestination
  channels: readonly ListedChannel[]
  onChanged(): Promise<void>
}

export function DestinationCard({ destination, channels, onChanged }: CardProps) {
  const { name, enabled, type, channel } = destination
  const steps = stepsOf(destination).map(stepWords).join(', ')
  const listed = channels.find(one => one.type === type)
  return (
    <li class="card">
      <h2>
        {name} {destination.default && <span class="label">Default</span>} {!enabled && <span class="label">Disabled</span>}
      </h2>
      <p class="dim">
        {listed?.name ?? type}
        {channel !== '' && `, channel ${channel}`}
        {destination.send_on_open && ', also when an incident opens'}
        {steps !== '' && `: ${steps}`}
        {!enabled && '. Messages to it are held back'}
      </p>
      {may('editor') && <Acts {...{ destination, listed, onChanged }} />}
    </li>
  )
}

const stepsOf = ({ settings = {} }: SentDestination): SettingStep[] => Object.values(settings).filter(isSteps).flat()

const stepWords = ({ destination, after_minutes: after }: SettingStep): string =>
  after === 0 ? `${destination} at once` : `${destination} after ${humanMinutes(after)}`

const humanMinutes = (minutes: number): string => (minutes === 1 ? '1 minute' : `${minutes} minutes`)

function Acts({ destination, listed, onChanged }: Omit<CardProps, 'channels'> & { listed: ListedChannel | undefined }) {
  const dialog = useSignal<'change' | 'secret' | 'disable' | 'delete' | null>(null)
  const secret = useSignal<string | null>(null)
  const { id, name, enabled } = destination
  const patch = (body: object, sentence: string) => async () => {
    await askV3('PATCH', destinationPath(id), body)
    await onChanged()
    return sentence
  }
  const enable = useAct(patch({ enabled: true }, `Destination ${name} enabled: messages go to it from now on.`))
  const makeDefault = useAct(patch({ default: true }, `Destination ${name} is the default now.`))
  const given = { destination, onChanged, onClose: () => (dialog.value = null) }
  const show = (made: string) => {
    // Closes the dialog before the secret is shown, because the focus then moves to the secret.
    dialog.value = null
    secret.value = made
  }
  return (
    <>
      <div class="acts">
        {stepsOf(destination).length === 0 && <Test destination={destination} />}
        {!destination.default && enabled && (
          <Button {...named('Make default', name)} isBusy={makeDefault.isBusy} onClick={makeDefault.run} />
        )}
        {enabled ? (
          <Button {...named('Disable', name)} onClick={() => (dialog.value = 'disable')} />
        ) : (
          <Button {...named('Enable', name)} isBusy={enable.isBusy} onClick={enable.run} />
        )}
        <Button {...named('Change', name)} onClick={() => (dialog.value = 'change')} />
        {may('owner') && <Button {...named('Signing secret', name)} onClick={() => (dialog.value = 'secret')} />}
        <Button {...named('Delete', name)} onClick={() => (dialog.value = 'delete')} />
      </div>
      {secret.value !== null && (
        <ShownOnce title={`Signing secret of ${name}`} noun="Secret" secret={secret.value} onDone={() => (secret.value = null)} />
      )}
      {dialog.value === 'secret' && <SigningSecret destination={destination} onMade={show} onClose={given.onClose} />}
      {dialog.value === 'change' && <ChangeDestination changed={destination} onDone={onChanged} onClose={given.onClose} />}
      {dialog.value === 'disable' && <Disable {...given} />}
      {dialog.value === 'delete' && <Delete {...given} listed={listed} />}
    </>
  )
}

/** Returns the text of a button. Screen readers also read the destination's name. */
const named = (words: string, name: string) => ({ children: words, 'aria-label': `${words}: ${name}` })

function Test({ destination: { id, name } }: { destination: SentDestination }) {
  const outcome = useSignal<{ sentence: string; at: number; isRefusal: boolean } | null>(null)
  const test = useAct(async () => {
    outcome.value = null
    const result = await askV3<Outcome>('POST', `${destinationPath(id)}/test`, {})
    const sentence = outcomeSentence(result)
    outcome.value = { sentence, at: serverNow(), isRefusal: !isTaken(result.status) }
    return `${name}: ${sentence}`
  })
  return (
    <>
      <Button {...named('Send a test', name)} isBusy={test.isBusy} onClick={test.run} />
      {outcome.value !== null && (
        <span class={outcome.value.isRefusal ? 'outcome refusal' : 'outcome'}>
          <Time at={outcome.value.at} /> {outcome.value.sentence}
        </span>
      )}
    </>
  )
}

interface LossProps extends Omit<CardProps, 'channels'> {
  onClose(): void
}

function Disable({ destination: { id, name, default: isDefault }, onChanged, onClose }: LossProps) {
  const send = async () => {
    await askV3('PATCH', destinationPath(id), { enabled: false })
    announce(`Destination ${name} disabled.`)
    await onChanged()
  }
  return (
    <Confirm title={`Disable ${name}?`} act="Disable destination" send={send} onClose={onClose}>
      <p>Messages to it are held back until it is enabled again, and are not sent later.</p>
      {isDefault && <p>It stays the default: nobody hears of incidents whose rules name no other destination.</p>}
    </Confirm>
  )
}

interface DeleteProps extends LossProps {
  /** Its type; undefined: this page does not know it. */
  listed: ListedChannel | undefined
}

function Delete({ destination: { id, name, default: isDefault }, listed, onChanged, onClose }: DeleteProps) {
  const send = async () => {
    await askV3('DELETE', destinationPath(id))
    announce(`Destination ${name} deleted.`)
    await onChanged()
  }
  return (
    <Confirm title={`Delete ${name}?`} act="Delete destination" send={send} onClose={onClose}>
      <p>Its URL and its signing secret are lost. What was delivered to it stays in the log.</p>
      {listed?.life === 'alert' && <p>Alerts that are open in {listed.name} stay open there. Close them there.</p>}
      {isDefault && <p>It is the default: nobody hears of incidents whose rules name no other destination.</p>}
    </Confirm>
  )
}
