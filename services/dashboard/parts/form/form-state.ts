// State of a form: whether it is being sent, and the refusals of its fields and of the whole form.
import { type Signal, signal } from '@preact/signals'
import { createContext } from 'preact'
import { Refusal, sentenceOf } from '../../data/api.ts'

export interface FormState {
  isBusy: Signal<boolean>
  /** Refusals by the name of the field. */
  refusals: Signal<ReadonlyMap<string, string>>
  /** Refusal that names no field of the form; null: none. */
  refusal: Signal<string | null>
}

export const FormContext = createContext<FormState | null>(null)

export const createFormState = (): FormState => ({ isBusy: signal(false), refusals: signal(new Map()), refusal: signal(null) })

/**
 * Runs `send` once at a time. A refusal that names one of `fields` is stored for that field, any other refusal for the form. Resolves with
 * true if `send` succeeded.
 */
export async function submitForm(state: FormState, fields: readonly string[], send: () => Promise<void>): Promise<boolean> {
  if (state.isBusy.value) return false
  state.isBusy.value = true
  state.refusals.value = new Map()
  state.refusal.value = null
  try {
    await send()
    return true
  } catch (error) {
    const field = error instanceof Refusal ? fieldOf(error.field, fields) : null
    if (field === null) state.refusal.value = sentenceOf(error)
    else state.refusals.value = new Map([[field, besideField(sentenceOf(error), field)]])
    return false
  } finally {
    state.isBusy.value = false
  }
}

/**
 * Returns a refusal without the field's name at its beginning, because it is shown beside the field. The name of a part stays.
 */
const besideField = (refusal: string, field: string): string => {
  const last = field.split('.').at(-1)
  return refusal.replace(/^Field '(?:[^']*\.)?([^'.]+)' /, (begin, named) => (named === last ? 'This ' : begin))
}

/**
 * Returns the field that a refusal names. A refusal may name a part of a field, as in `meta.url` or `locations[0]`. The field itself has
 * precedence, then the nearest field around or inside the name.
 */
export function fieldOf(named: string | null, fields: readonly string[]): string | null {
  if (named === null) return null
  const parts = named.split(/[.[\]]+/).filter(part => part !== '')
  for (let length = parts.length; length > 0; length--) {
    const prefix = parts.slice(0, length).join('.')
    if (fields.includes(prefix)) return prefix
  }
  return fields.find(field => parts.includes(field)) ?? null
}
