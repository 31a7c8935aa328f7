// A rule's decision in the editor: a comparison of a signal, or a combination of nested decisions.
import { Button } from '../../parts/button.tsx'
import { isObject, itemsAt, textAt, valueAt, withItem, withoutItem } from './draft.ts'
import { ValueAt } from './lazy-parts.ts'
import { NumberAt, Remove, SelectAt, useEditing, usePlace } from './place-fields.tsx'

const kinds = [
  { value: 'signal', word: 'one signal' },
  { value: 'any', word: 'any of several' },
  { value: 'all', word: 'all of several' },
  { value: 'not', word: 'the opposite of' },
  { value: 'any_known', word: 'any of those that are known' },
  { value: 'all_known', word: 'all of those that are known' },
]
const lists = ['any', 'all', 'any_known', 'all_known']
/** Largest depth of a decision, in nested nodes including the comparison (v3 3.8). */
const deepest = 4

const kindOf = (node: unknown): string => {
  if (!isObject(node)) return 'signal'
  if ('not' in node) return isSilence(node) ? 'signal' : 'not'
  return lists.find(name => name in node) ?? 'signal'
}

/** Returns true for `{not: {signal, field: known}}`, which the editor shows as one comparison: the signal is silent. */
const isSilence = (node: unknown): boolean => textAt(node, 'not.field') === 'known'

/** Converts the node to another kind. Keeps all parts of the node that the other kind can contain. */
function asKind(node: unknown, kind: string, signal: string): unknown {
  const fresh = { signal, field: 'status', operator: 'eq', operand: 'problem' }
  const parts = lists.map(name => itemsAt(node, name)).find(items => items.length > 0) ?? [node, fresh]
  const first = valueAt(node, 'not') ?? parts[0] ?? fresh
  if (kind === 'not') return { not: isSilence(node) ? fresh : node }
  if (kind === 'signal') return kindOf(first) === 'signal' ? first : fresh
  if (!kind.endsWith('_known')) return { [kind]: parts }
  const comparisons = parts.filter(part => isObject(part) && 'signal' in part && part['field'] !== 'known')
  return { [kind]: [...comparisons, fresh, fresh].slice(0, Math.max(2, comparisons.length)), min_known: 1 }
}

interface NodeProps {
  at: string
  label: string
  depth: number
  /** True if only comparisons of status and value are allowed, as within `all_known` and `any_known`. */
  isPlain?: boolean
}

export function DecisionAt({ at, label, depth, isPlain = false }: NodeProps) {
  const { editor } = useEditing()
  usePlace(at)
  const draft = editor.draft.value
  const node = valueAt(draft, at)
  const kind = kindOf(node)
  const signal = textAt(draft, 'signals.0.key')
  const choose = (to: string) => editor.set(at, asKind(valueAt(editor.draft.peek(), at), to, signal))
  const isLeaf = isPlain || depth >= deepest
  return (
    <fieldset class="decision-node" data-depth={depth}>
      <legend class="hidden">{label}</legend>
      {!isLeaf && <SelectAt at={`${at}.kind`} label={label} of={kinds} value={kind} onChoose={choose} />}
      {kind === 'signal' && <ComparisonAt at={at} isPlain={isPlain} />}
      {kind === 'not' && <DecisionAt at={`${at}.not`} label="Not this" depth={depth + 1} />}
      {lists.includes(kind) && <NodeList at={at} kind={kind} depth={depth} />}
    </fieldset>
  )
}

function NodeList({ at, kind, depth }: { at: string; kind: string; depth: number }) {
  const { editor } = useEditing()
  const place = `${at}.${kind}`
  usePlace(place)
  const draft = editor.draft.value
  const items = itemsAt(draft, place)
  const isPlain = kind.endsWith('_known')
  const fresh = { signal: textAt(draft, 'signals.0.key'), field: 'status', operator: 'eq', operand: 'problem' }
  return (
    <div class="editor-form" data-list>
      {isPlain && <NumberAt at={`${at}.min_known`} label="At least so many are known" />}
      {items.map((_, i) => (
        <div key={i} class="decision-part">
          <DecisionAt at={`${place}.${i}`} label={`Part ${i + 1}`} depth={depth + 1} isPlain={isPlain} />
          {items.length > 2 && (
            <Remove what={`part ${i + 1}`} onRemove={() => editor.replace(withoutItem(editor.draft.peek(), place, i))} />
          )}
        </div>
      ))}
      {items.length < 16 && (
        <div class="acts">
          <Button onClick={() => editor.replace(withItem(editor.draft.peek(), place, fresh))}>Add part</Button>
        </div>
      )}
    </div>
  )
}

const compared = [
  { value: 'status', word: 'has the status' },
  { value: 'value', word: 'has a value that' },
]
const known = [
  { value: 'silent', word: 'is silent' },
  { value: 'known', word: 'has reported' },
]
const statuses = [
  { value: 'problem', word: 'problem' },
  { value: 'ok', word: 'ok' },
]

function ComparisonAt({ at, isPlain }: { at: string; isPlain: boolean }) {
  const { editor } = useEditing()
  const draft = editor.draft.value
  const isSilent = isSilence(valueAt(draft, at))
  const base = isSilent ? `${at}.not` : at
  const signals = itemsAt(draft, 'signals')
    .map(signal => textAt(signal, 'key'))
    .filter(key => key !== '')
    .map(value => ({ value, word: value }))
  const signal = textAt(draft, `${base}.signal`)
  const field = isSilent ? 'silent' : textAt(draft, `${base}.field`)
  const choose = (to: string) => {
    const whole = {
      status: { signal, field: 'status', operator: 'eq', operand: 'problem' },
      value: { signal, field: 'value', operator: 'gt', operand: 0 },
      known: { signal, field: 'known' },
      silent: { not: { signal, field: 'known' } },
    }[to]
    editor.set(at, whole)
  }
  return (
    <div class="editor-row">
      <SelectAt
        at={`${base}.signal`}
        label="Signal"
        of={signals}
        value={signal}
        onChoose={key => editor.set(`${base}.signal`, key)}
      />
      <SelectAt
        at={`${base}.field`}
        label="It"
        of={isPlain ? compared : [...compared, ...known]}
        value={field}
        onChoose={choose}
      />
      {field === 'status' && (
        <SelectAt
          at={`${base}.operand`}
          label="Status"
          of={statuses}
          value={textAt(draft, `${base}.operand`)}
          onChoose={word => editor.set(`${base}.operand`, word)}
        />
      )}
      {field === 'value' && <ValueAt at={base} />}
      {(field === 'known' || field === 'silent') && (
        <NumberAt at={`${base}.within_seconds`} label="Within, seconds" hint="Empty: by its own period." isOptional />
      )}
    </div>
  )
}
