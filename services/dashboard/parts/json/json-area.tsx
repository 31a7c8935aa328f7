// Input for a JSON text, with line numbers. A fault is marked at its line and said below. Tab moves on, as in every input.
import type { ComponentChildren } from 'preact'
import { useRef } from 'preact/hooks'
import { Button } from '../button.tsx'
import { Labelled } from '../form/field.tsx'
import { addPageStyle } from '../page-style.ts'
import style from './json-area.page.css'
import type { Fault, Place } from './json-text.ts'

addPageStyle(style)

interface AreaProps {
  name: string
  label: string
  hint?: ComponentChildren
  value: string
  fault: Fault | null
  isReadOnly?: boolean
  onInput(text: string): void
}

/** A longer text scrolls inside. */
const rowsMost = 32

export function JsonArea({ name, label, hint, value, fault, isReadOnly = false, onInput }: AreaProps) {
  const area = useRef<HTMLTextAreaElement>(null)
  const gutter = useRef<HTMLDivElement>(null)
  const lines = value.split('\n')
  const place = fault?.place ?? null
  return (
    <Labelled name={name} label={label} hint={hint}>
      {({ id, 'aria-describedby': described = '' }) => (
        <>
          <div class="json-area">
            <div class="json-lines" aria-hidden="true" ref={gutter}>
              {lines.map((_, i) => (
                <div key={i} data-fault={place?.line === i + 1}>
                  {i + 1}
                </div>
              ))}
            </div>
            <textarea
              {...{ id, name, value, wrap: 'off', spellcheck: false, autocomplete: 'off', autocapitalize: 'off' }}
              class="input"
              ref={area}
              // One more than the lines, so that a bar for scrolling sideways covers none.
              rows={Math.min(lines.length + 1, rowsMost)}
              readOnly={isReadOnly}
              aria-invalid={fault !== null || undefined}
              aria-describedby={`${id}-fault ${described}`}
              onInput={({ currentTarget }) => onInput(currentTarget.value)}
              onScroll={({ currentTarget: { scrollTop } }) => gutter.current?.scrollTo(0, scrollTop)}
            />
          </div>
          <div class="json-fault" role="status" id={`${id}-fault`}>
            {fault !== null && <p class="refusal">{fault.sentence}</p>}
          </div>
          {place !== null && <Button onClick={() => area.current && goTo(area.current, place)}>Go to line {place.line}</Button>}
        </>
      )}
    </Labelled>
  )
}

/** Moves the focus into the text, to a place of it. */
export function goTo(area: HTMLTextAreaElement, { at, line }: Place): void {
  area.focus()
  area.setSelectionRange(at, at)
  area.scrollTop = (line - 4) * (area.scrollHeight / area.value.split('\n').length)
}
