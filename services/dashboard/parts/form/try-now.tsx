// Button that makes the check of a form once from its locations, and the outcomes. Nothing is saved. Drawn inside a Form.
import { useSignal } from '@preact/signals'
import { useContext } from 'preact/hooks'
import { askV3 } from '../../data/api.ts'
import { inWorkspace } from '../../templates/template.ts'
import { signalName } from '../../words/places.ts'
import { Button } from '../button.tsx'
import { FormContext, submitForm } from './form-state.ts'
import { showRefusal } from './show-refusal.ts'
import { TriedDetails, type TriedMore } from './tried-details.tsx'

interface Tried extends TriedMore {
  signal: string
  location: { id: string; name: string }
  outcome: 'passed' | 'failed' | 'cannot' | 'no_answer'
  error: string | null
  phases: { total_ms: number } | null
}

interface Props {
  /** Names of the form's fields. */
  fields: readonly string[]
  /** Returns the request to `…/checks/try`. */
  asked(values: FormData): object
}

const words = { passed: 'passed', failed: 'failed', cannot: 'cannot be made there', no_answer: 'no answer' } as const

export function TryNow({ fields, asked }: Props) {
  const form = useContext(FormContext)
  const tried = useSignal<readonly Tried[]>([])
  if (form === null) return null
  const run = async ({ currentTarget }: { currentTarget: HTMLElement }) => {
    const element = currentTarget.closest('form')
    if (element === null) return
    tried.value = []
    const isSent = await submitForm(form, fields, async () => {
      tried.value = await askV3<Tried[]>('POST', inWorkspace('/checks/try'), asked(new FormData(element)))
    })
    if (!isSent) showRefusal(element)
  }
  return (
    <>
      <Button isBusy={form.isBusy.value} onClick={run}>
        Try now
      </Button>
      <div class="tried" role="status">
        {tried.value.map(({ signal, location, outcome, error, phases, ...more }) => (
          <div key={`${signal} ${location.id}`}>
            <p data-outcome={outcome}>
              <strong>{signalName(`${signal}@${location.id}`, { [location.id]: location.name })}</strong> {words[outcome]}
              {phases !== null && ` in ${Math.round(phases.total_ms)} ms`}
              {error !== null && `: ${error}`}
            </p>
            <TriedDetails {...more} />
          </div>
        ))}
      </div>
    </>
  )
}
