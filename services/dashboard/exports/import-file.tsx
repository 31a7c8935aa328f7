// Import of a file in steps: choose the file, enter the values that no file shows, read the plan of changes, then apply it.
import { useSignal } from '@preact/signals'
import { useEffect, useMemo, useRef } from 'preact/hooks'
import type { ConfigurationStep } from '#shared/contracts/session/configuration.ts'
import { counted } from '../data/format.ts'
import { workspaceId } from '../data/session.ts'
import { Button } from '../parts/button.tsx'
import { Labelled, TextField } from '../parts/form/field.tsx'
import { Form, textOf } from '../parts/form/form.tsx'
import { sendConfiguration } from './configuration-api.ts'
import { countsSentence, createImport, type Import, type ImportStage, type MissingValue, rebinds } from './import-state.ts'
import { StepTable } from './step-table.tsx'

export function ImportFile() {
  const importing = useMemo(() => createImport(sendConfiguration(workspaceId.peek() ?? '')), [])
  const stage = importing.stage.value
  useWarning(stage.at === 'writing')
  const area = useRef<HTMLDivElement>(null)
  const shown = useRef(stage.at)
  useEffect(() => {
    // The person has pressed a button of the previous step, which is now removed. So the focus moves to the new step.
    if (shown.current !== stage.at && document.activeElement === document.body) area.current?.focus()
    shown.current = stage.at
  }, [stage.at])
  return (
    <section aria-labelledby="import">
      <h2 id="import">Import</h2>
      <p class="dim">
        The file makes what is missing and changes what differs. It deletes nothing. You see all of that before anything is
        written.
      </p>
      <Labelled name="file" label="File" hint="YAML or JSON, at most 16 MiB.">
        {props => (
          <input
            {...props}
            class="input file"
            type="file"
            name="file"
            accept=".yaml,.yml,.json"
            onClick={({ currentTarget }) => {
              // Clears the field. Otherwise the browser would report no change when the person chooses a corrected file of the same name.
              currentTarget.value = ''
            }}
            onChange={({ currentTarget }) => {
              const [file] = currentTarget.files ?? []
              if (file !== undefined) void importing.choose(file)
            }}
          />
        )}
      </Labelled>
      <div aria-live="polite" class="import-stage" tabIndex={-1} ref={area}>
        <Stage stage={stage} importing={importing} />
      </div>
    </section>
  )
}

/** Makes the browser warn the person who closes the page during a write. */
function useWarning(isWriting: boolean): void {
  useEffect(() => {
    if (!isWriting) return
    const warn = (event: Event) => event.preventDefault()
    addEventListener('beforeunload', warn)
    return () => removeEventListener('beforeunload', warn)
  }, [isWriting])
}

function Stage({ stage, importing }: { stage: ImportStage; importing: Import }) {
  switch (stage.at) {
    case 'waiting':
      return null
    case 'reading':
      return <Reading name={stage.name} onCancel={importing.restart} />
    case 'asking':
      return <Values missing={stage.missing} importing={importing} />
    case 'planned':
      return <Plan name={stage.name} steps={stage.steps} importing={importing} />
    case 'writing':
      return (
        <>
          <p aria-busy="true">
            {stage.done} of {counted(stage.steps.length, 'object')} are done. Stay on this page until it ends.
          </p>
          <progress max={stage.steps.length} value={stage.done} aria-label="Import" />
          <Stop importing={importing} />
        </>
      )
    case 'written':
      return (
        <>
          <p>
            <strong>Imported: {countsSentence(stage.steps)}.</strong>
          </p>
          <StepTable steps={stage.steps} />
        </>
      )
    case 'failed':
      return <Failure sentences={stage.sentences} done={stage.done} />
  }
}

function Reading({ name, onCancel }: { name: string; onCancel(): void }) {
  return (
    <>
      <p aria-busy="true">Comparing {name} with the workspace…</p>
      <progress aria-label={`Reading ${name}`} />
      <p class="acts">
        <Button onClick={onCancel}>Cancel</Button>
      </p>
    </>
  )
}

function Stop({ importing }: { importing: Import }) {
  const isStopping = useSignal(false)
  const stop = () => {
    isStopping.value = true
    importing.stopWriting()
  }
  return (
    <p class="acts">
      <Button isBusy={isStopping.value} onClick={stop}>
        Stop
      </Button>
    </p>
  )
}

/** Number of faults that are shown. */
const faultsMost = 20

function Failure({ sentences, done }: { sentences: readonly string[]; done: readonly ConfigurationStep[] | null }) {
  return (
    <>
      <div role="alert">
        {sentences.slice(0, faultsMost).map(sentence => (
          <p key={sentence} class="refusal">
            {sentence}
          </p>
        ))}
      </div>
      {sentences.length > faultsMost && <p class="dim">And {counted(sentences.length - faultsMost, 'more fault')}.</p>}
      {done === null ? (
        <p>Nothing was written.</p>
      ) : (
        <>
          <p>Done before that, and it stays: {countsSentence(done)}.</p>
          <StepTable steps={done} />
        </>
      )}
    </>
  )
}

/** Form for values that the file does not contain, because they are secrets. */
function Values({ missing, importing }: { missing: readonly MissingValue[]; importing: Import }) {
  const send = (values: FormData) =>
    importing.giveValues(Object.fromEntries(missing.map(({ variable }) => [variable, textOf(values, variable)])))
  return (
    <div class="urls">
      <p>
        {counted(missing.length, 'value')} {missing.length === 1 ? 'is' : 'are'} needed that no file holds: URLs of new
        destinations and secrets. Give them here.
      </p>
      <Form fields={[]} act="Show the plan" send={send}>
        {missing.map(({ variable, value }) => (
          <TextField
            key={variable}
            name={variable}
            label={value}
            type={variable.endsWith('_URL') ? 'url' : 'password'}
            autoComplete="off"
          />
        ))}
      </Form>
      {importing.refusal.value !== null && (
        <p class="refusal" role="alert">
          {importing.refusal.value}
        </p>
      )}
    </div>
  )
}

function Plan({ name, steps, importing }: { name: string; steps: readonly ConfigurationStep[]; importing: Import }) {
  const changes = steps.filter(({ result }) => result !== 'left').length
  const moved = rebinds(steps)
  return (
    <>
      <p>
        <strong>Nothing is written yet.</strong> {name} would come to: {countsSentence(steps)}.
      </p>
      {moved > 0 && (
        <p class="loss">
          {counted(moved, 'monitor')} {moved === 1 ? 'moves' : 'move'} to another revision: open incidents of{' '}
          {moved === 1 ? 'it' : 'them'} close, and nobody hears of it. What still fails opens anew.
        </p>
      )}
      <div class="acts">
        {changes > 0 && (
          <Button look="main" onClick={() => void importing.write()}>
            Import {counted(changes, 'change')}
          </Button>
        )}
        <Button onClick={importing.restart}>{changes > 0 ? 'Leave it' : 'Done'}</Button>
      </div>
      <StepTable steps={steps} />
    </>
  )
}
