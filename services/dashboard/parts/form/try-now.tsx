// Button that makes the check of a form once from its locations, and the outcomes. Nothing is saved. Drawn inside a Form.
import { useSignal } from '@preact/signals'
import { useContext } from 'preact/hooks'
import { askV3 } from '../../data/api.ts'
import type { Tried } from '../../resource/tried-list.tsx'
import { inWorkspace } from '../../templates/template.ts'
import { Button } from '../button.tsx'
import { lazy } from '../lazy.tsx'
import { FormContext, submitForm } from './form-state.ts'
import { showRefusal } from './show-refusal.ts'

interface Props {
  /** Names of the form's fields. */
  fields: readonly string[]
  /** Returns the request to `…/checks/try`. */
  asked(values: FormData): object
}

const TriedList = lazy(() => import('../../resource/tried-list.tsx').then(it => it.TriedList))

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
        {tried.value.length > 0 && <TriedList tried={tried.value} />}
      </div>
    </>
  )
}
