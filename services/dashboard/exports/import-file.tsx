// Import of a file in steps: choose the file, enter the URLs of new destinations, read the plan of changes, then apply it.
import { useSignal } from '@preact/signals'
import { useEffect, useMemo, useRef } from 'preact/hooks'
import type { ReadingProgress, ShownStep } from '#shared/contracts/session/configuration-script.ts'
import { counted, grouped } from '../data/format.ts'
import { Button } from '../parts/button.tsx'
import { Labelled, TextField } from '../parts/form/field.tsx'
import { Form, textOf } from '../parts/form/form.tsx'
import { countsSentence, createImport, type Import, type ImportStage, rebinds } from './import-state.ts'
import { openScript } from './open-script.ts'
import { StepTable } from './step-table.tsx'

export function ImportFile() {
  const importing = useMemo(() => createImport({ open: openScript }), [])
  const stage = importing.stage.value
  useWarning(stage.at === 'writing')
  useEffect(() => importing.leave, [importing])
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
      return <Reading name={stage.name} progress={stage.progress} onCancel={importing.restart} />
    case 'asking':
      return <Urls destinations={stage.destinations} importing={importing} />
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
      return <Failure sentence={stage.sentence} done={stage.done} />
  }
}

/**
 * Shows the progress of a reading. The sentence for screen readers omits the percentage, because a screen reader reads every changed
 * sentence again.
 */
function Reading({ name, progress, onCancel }: { name: string; progress: ReadingProgress; onCancel(): void }) {
  return (
    <>
      <p aria-busy="true">{readingSentence(name, progress)}</p>
      <progress {...(progress.at === 'file' ? { max: 1, value: progress.share } : {})} aria-label={`Reading ${name}`} />
      <p class="acts">
        <Button onClick={onCancel}>Cancel</Button>
      </p>
    </>
  )
}

function readingSentence(name: string, progress: ReadingProgress): string {
  if (progress.at === 'file') return `Reading ${name}…`
  if (progress.at === 'objects') return `Checking what ${name} says…`
  return `Reading what the workspace has${progress.found === 0 ? '' : `: ${grouped(progress.found)} monitors so far`}…`
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

function Failure({ sentence, done }: { sentence: string; done: readonly ShownStep[] | null }) {
  return (
    <>
      <p class="refusal" role="alert">
        {sentence}
      </p>
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

/** Form for the URLs of new destinations. The file contains no URLs, because they are secrets. */
function Urls({ destinations, importing }: { destinations: readonly string[]; importing: Import }) {
  const send = (values: FormData) =>
    importing.giveUrls(new Map(destinations.map(name => [name, textOf(values, `url of ${name}`)])))
  return (
    <div class="urls">
      <p>
        {counted(destinations.length, 'destination')} of the file {destinations.length === 1 ? 'is' : 'are'} new. A file holds no
        URLs: give them here.
      </p>
      <Form fields={[]} act="Show the plan" send={send}>
        {destinations.map(name => (
          <TextField key={name} name={`url of ${name}`} label={`URL of ${name}`} type="url" inputMode="url" autoComplete="off" />
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

function Plan({ name, steps, importing }: { name: string; steps: readonly ShownStep[]; importing: Import }) {
  const changes = steps.filter(({ verb }) => verb !== 'left').length
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
