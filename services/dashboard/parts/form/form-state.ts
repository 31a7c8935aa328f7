// State of a form: a mark while the form is sent, the refusals of its fields, and the refusal of the whole form.
import { type Signal, signal } from '@preact/signals'
import { createContext } from 'preact'
import { Refusal, sentenceOf } from '../../data/api.ts'

export interface FormState {
  isBusy: Signal<boolean>
  /** Refusals of single fields, by the name of the field. */
  refusals: Signal<ReadonlyMap<string, string>>
  /** Refusal that names no field of the form; null: no such refusal. */
  refusal: Signal<string | null>
}

export const FormContext = createContext<FormState | null>(null)

export const createFormState = (): FormState => ({ isBusy: signal(false), refusals: signal(new Map()), refusal: signal(null) })

/**
 * Runs `send` once at a time. A refusal that names one of `fields` becomes the refusal of this field. Any other refusal becomes the refusal
 * of the form. Resolves with true if `send` succeeded.
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
 * Returns a refusal without the field's name at its beginning, because the refusal is shown beside the field. If the refusal names a part
 * of the field, the name of this part stays.
 */
const besideField = (refusal: string, field: string): string => {
  const last = field.split('.').at(-1)
  return refusal.replace(/^Field '(?:[^']*\.)?([^'.]+)' /, (begin, named) => (named === last ? 'This ' : begin))
}

/**
 * Returns the field that a refusal names. A refusal may name a part of a field, as in `meta.url` or `locations[0]`. Returns the field with
 * exactly this name if the form has it. Otherwise returns the nearest field that contains the named part. If there is none, returns any
 * field whose name is one part of `named`, or whose last part is `named`.
 */
export function fieldOf(named: string | null, fields: readonly string[]): string | null {
  if (named === null) return null
  const parts = named.split(/[.[\]]+/).filter(part => part !== '')
  for (let length = parts.length; length > 0; length--) {
    const prefix = parts.slice(0, length).join('.')
    if (fields.includes(prefix)) return prefix
  }
  return fields.find(field => parts.includes(field)) ?? fields.find(field => field.endsWith(`.${named}`)) ?? null
}
