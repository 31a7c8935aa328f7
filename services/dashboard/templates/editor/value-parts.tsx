// A comparison of a value in the editor of a decision: the operator, the operand, and how many values it reads.
import { operatorWord } from '../operator-words.ts'
import { isObject, textAt, valueAt } from './draft.ts'
import { AmountAt, NumberAt, SelectAt, useEditing } from './place-fields.tsx'

const operators = ['gt', 'gte', 'lt', 'lte', 'eq', 'neq'].map(value => ({ value, word: operatorWord(value) }))

const readings = [
  { value: 'newest', word: 'newest value' },
  { value: 'counted', word: 'several values in a row' },
  { value: 'baseline', word: 'newest value, times its usual one' },
]

export function ValueAt({ at }: { at: string }) {
  const { editor } = useEditing()
  const draft = editor.draft.value
  const node = valueAt(draft, at)
  const reading = isObject(valueAt(node, 'baseline')) ? 'baseline' : valueAt(node, 'min_count') == null ? 'newest' : 'counted'
  const choose = (to: string) => {
    const { min_count: _, within_seconds: __, baseline: ___, ...plain } = isObject(node) ? node : {}
    const more = { counted: { min_count: 3, within_seconds: 900 }, baseline: { baseline: { days: 7, min_samples: 12 } } }
    editor.set(at, { ...plain, ...(to === 'counted' || to === 'baseline' ? more[to] : {}) })
  }
  return (
    <>
      <SelectAt
        at={`${at}.operator`}
        label="Comparison"
        of={operators}
        value={textAt(draft, `${at}.operator`)}
        onChoose={word => editor.set(`${at}.operator`, word)}
      />
      <AmountAt at={`${at}.operand`} label={reading === 'baseline' ? 'So many times the usual value' : 'Than'} />
      <SelectAt at={`${at}.reading`} label="Read" of={readings} value={reading} onChoose={choose} />
      {reading === 'counted' && <NumberAt at={`${at}.min_count`} label="So many in a row" />}
      {reading === 'counted' && <NumberAt at={`${at}.within_seconds`} label="Within, seconds" />}
      {reading === 'baseline' && <NumberAt at={`${at}.baseline.days`} label="Median of so many days" />}
      {reading === 'baseline' && <NumberAt at={`${at}.baseline.min_samples`} label="Of at least so many readings" />}
    </>
  )
}
