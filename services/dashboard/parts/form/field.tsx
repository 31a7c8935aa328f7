// Fields of a form: label, hint, input, and the refusal that names the field, if there is one. Every field is inside a Form.
import { type ComponentChildren, h } from 'preact'
import { useContext, useMemo } from 'preact/hooks'
import { FormContext } from './form-state.ts'

interface Shown {
  /** Name of the field in the API. Refusals that name this field are shown beside it. */
  name: string
  label: string
  hint?: ComponentChildren
}

/** Attributes of the input elements that the forms use. */
interface Typed {
  defaultValue?: string
  placeholder?: string
  required?: boolean
  autoFocus?: boolean
  maxLength?: number
  onInput?(event: { currentTarget: { value: string } }): void
}

/** Gives the focus also to a field that is drawn after its page was loaded, for which the attribute has no effect. */
const focusing = ({ autoFocus }: Typed) => (autoFocus ? takeFocus : null)
const takeFocus = (element: HTMLElement | null): void => element?.focus()

interface TextProps extends Shown, Typed {
  type?: 'text' | 'password' | 'number' | 'url' | 'search' | 'datetime-local' | 'date'
  autoComplete?: string
  inputMode?: 'numeric' | 'url' | 'text'
  min?: number | string
  max?: number | string
  step?: number | 'any'
}

export function TextField({ name, label, hint, ...rest }: TextProps) {
  return (
    <Labelled name={name} label={label} hint={hint}>
      {props => h('input', { ...rest, ...props, name, class: 'input', ref: focusing(rest) })}
    </Labelled>
  )
}

interface AreaProps extends Shown, Typed {
  rows?: number
}

export function AreaField({ name, label, hint, ...rest }: AreaProps) {
  return (
    <Labelled name={name} label={label} hint={hint}>
      {props => <textarea {...rest} {...props} name={name} class="input" ref={focusing(rest)} />}
    </Labelled>
  )
}

interface ChoiceProps extends Shown {
  of: readonly { value: string; word: string }[]
  defaultValue?: string
  onChange?(event: { currentTarget: { value: string } }): void
}

export function ChoiceField({ name, label, hint, of, defaultValue, onChange }: ChoiceProps) {
  return (
    <Labelled name={name} label={label} hint={hint}>
      {props => (
        <select {...props} name={name} class="input" onChange={event => onChange?.(event)}>
          {of.map(({ value, word }) => (
            <option key={value} value={value} selected={value === defaultValue}>
              {word}
            </option>
          ))}
        </select>
      )}
    </Labelled>
  )
}

interface CheckProps extends Shown {
  value?: string
  defaultChecked?: boolean
  onChange?(event: { currentTarget: { checked: boolean } }): void
}

export function CheckField({ name, label, hint, ...rest }: CheckProps) {
  const refusal = useContext(FormContext)?.refusals.value.get(name)
  return (
    <div class="field">
      <label class="check">
        <input {...rest} name={name} type="checkbox" /> {label}
      </label>
      {hint !== undefined && <p class="hint">{hint}</p>}
      {refusal !== undefined && <p class="refusal">{refusal}</p>}
    </div>
  )
}

interface InputProps {
  id: string
  'aria-invalid': boolean | undefined
  'aria-describedby': string | undefined
}

let made = 0
/** Returns a new id. Does not use Preact's useId, which would make the scripts of every page larger. */
const newId = (): string => `field-${++made}`

/** Frame of a field around any input: label, hint and refusal. */
export function Labelled({ name, label, hint, children }: Shown & { children(props: InputProps): ComponentChildren }) {
  const id = useMemo(newId, [])
  const refusal = useContext(FormContext)?.refusals.value.get(name)
  const described = [hint === undefined ? null : `${id}-hint`, refusal === undefined ? null : `${id}-refusal`]
  const props = {
    id,
    'aria-invalid': refusal !== undefined || undefined,
    'aria-describedby': described.filter(one => one !== null).join(' ') || undefined,
  }
  return (
    <div class="field" data-field={name}>
      <label for={id}>{label}</label>
      {children(props)}
      {hint !== undefined && (
        <p class="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
      {refusal !== undefined && (
        <p class="refusal" id={`${id}-refusal`}>
          {refusal}
        </p>
      )}
    </div>
  )
}
