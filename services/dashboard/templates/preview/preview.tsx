// The preview beside the editor: the server judges the draft's rules on sample Observations while the person types.
import { useSignal } from '@preact/signals'
import { sentence } from '../../data/format.ts'
import { StatusMark } from '../../parts/status-mark.tsx'
import { itemsAt, jsonOf, valueAt } from '../editor/draft.ts'
import { type Editor, type Judged, lackOf, locationType, type PreviewRule } from '../editor/editor.ts'
import { AnswerFields, OwnObservations } from '../editor/lazy-parts.ts'
import { useEditing } from '../editor/place-fields.tsx'
import { type Observation, sampleNames, sampleWords } from './samples.ts'
import { isSilent, outcomeOf, statusWord, storyOf } from './story.ts'

export function PreviewPanel() {
  const { editor } = useEditing()
  const judged = editor.judged.value
  const refusal = editor.refusal.value
  return (
    <section class="template-preview" aria-labelledby="preview">
      <h2 id="preview">Preview</h2>
      <p class="dim">Nothing is stored. The installation's own judge works on these Observations, in their own time.</p>
      <SampleChoice />
      <Answers />
      <div class="preview-state" role="status">
        {refusal !== null ? (
          <p class="refusal">
            {refusal.place !== null && <code>{refusal.place}</code>} {refusal.sentence}
          </p>
        ) : (
          <p class="dim">{stateWords(editor)}</p>
        )}
      </div>
      {judged !== null && (
        <div class="preview-result" data-old={refusal !== null}>
          {refusal !== null && <p class="dim">Before this fault it was:</p>}
          {judged.warnings.map(({ signal, text }) => (
            <p key={signal} class="template-warning">
              {sentence(text)}
            </p>
          ))}
          {judged.rules.map(rule => (
            <RuleStory key={rule.key} judged={judged} rule={rule} />
          ))}
          <Tried observations={judged.observations} />
        </div>
      )}
    </section>
  )
}

function stateWords({ isJudging, judged, draft }: Editor): string {
  if (isJudging.value || judged.value === null) return 'Judging…'
  const lack = lackOf(draft.value)
  return lack === null ? 'The Template can be published.' : `To publish it, ${lack}.`
}

function SampleChoice() {
  const { editor } = useEditing()
  const choose = (name: string) => {
    if (name === 'own' && editor.own.peek() === '[]')
      editor.own.value = JSON.stringify(editor.judged.peek()?.observations ?? [], null, 2)
    editor.sample.value = sampleNames.find(known => known === name) ?? 'own'
    editor.judgeSoon()
  }
  const all = [
    ...sampleNames.map(value => ({ value, word: sampleWords[value] })),
    { value: 'own', word: 'Observations of your own' },
  ]
  return (
    <>
      <fieldset class="template-samples">
        <legend>What happens</legend>
        {all.map(({ value, word }) => (
          <label key={value} class="check">
            <input
              type="radio"
              name="sample"
              value={value}
              checked={editor.sample.value === value}
              onChange={() => choose(value)}
            />
            {word}
          </label>
        ))}
      </fieldset>
      {editor.sample.value === 'own' && <OwnObservations />}
    </>
  )
}

/** Inputs for answers, folded. They are open if the preview cannot do without one. */
function Answers() {
  const { editor } = useEditing()
  const isOpen = useSignal(false)
  const fields = itemsAt(editor.draft.value, 'fields').filter(field => valueAt(field, 'type') !== locationType)
  if (fields.length === 0) return null
  const needsOne = fields.some(field => valueAt(field, 'required') === true && valueAt(field, 'default') === undefined)
  return (
    <details class="folded" open={needsOne} onToggle={({ currentTarget }) => (isOpen.value = currentTarget.open)}>
      <summary>Answers of the monitor</summary>
      {(needsOne || isOpen.value) && <AnswerFields />}
    </details>
  )
}

function RuleStory({ judged, rule }: { judged: Judged; rule: PreviewRule }) {
  const steps = storyOf(judged, rule)
  return (
    <section class="rule-card" aria-label={`Rule ${rule.key}`}>
      <h3>
        {rule.key}{' '}
        {rule.status !== null && <StatusMark state={rule.status} word={`${statusWord[rule.status] ?? rule.status} at the end`} />}
      </h3>
      {rule.explanation !== null && <p class="dim">{sentence(rule.explanation)}</p>}
      <p>
        <strong>{outcomeOf(rule)}</strong>
        {isSilent(judged.draft, rule.key) && ' Its routes are empty: no message leaves.'}
      </p>
      {steps.length > 0 && (
        <ol class="template-story">
          {steps.map(({ at, offset, words, message }) => (
            <li key={`${at} ${words}`}>
              <span class="number">{offset}</span>
              <span>
                {words}. {message === null ? <span class="dim">No message.</span> : <q class="message">{message}</q>}
              </span>
            </li>
          ))}
        </ol>
      )}
    </section>
  )
}

function Tried({ observations }: { observations: readonly Observation[] }) {
  return (
    <details class="folded">
      <summary>The {observations.length} Observations</summary>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls is reached by keyboard */}
      <pre tabIndex={0}>{jsonOf({ observations })}</pre>
    </details>
  )
}
