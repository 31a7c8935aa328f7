// The pages that edit a new Template, or the next version of an existing Template. The draft is stored in this browser until its
// publication.
import { effect, signal, useSignal } from '@preact/signals'
import { useEffect, useMemo } from 'preact/hooks'
import type { SentTemplate } from '#shared/contracts/resources/sent-template.ts'
import { askV3 } from '../../data/api.ts'
import { schedule, serverNow } from '../../data/clock.ts'
import { pathTo } from '../../data/routing.ts'
import { may } from '../../data/session.ts'
import { pageTitle } from '../../data/title.ts'
import { Button } from '../../parts/button.tsx'
import { createFormState, FormContext } from '../../parts/form/form-state.ts'
import { lazy } from '../../parts/lazy.tsx'
import { Shown, useLoaded } from '../../parts/loaded.tsx'
import { Empty } from '../../parts/states.tsx'
import { PreviewPanel } from '../preview/preview.tsx'
import { inWorkspace, isSystem, type NamedDestination, readDestinations, readHighest } from '../template.ts'
import { FieldList, Names, SignalList } from './declarations.tsx'
import { type Draft, emptyDraft, nextDraft } from './draft.ts'
import { dropDraft, keepDraft, readDraft, unnamed } from './draft-store.ts'
import { createEditor, type Editor, lackOf, type Preview, shownPlace } from './editor.ts'
import { type Editing, EditingContext } from './place-fields.tsx'
import { RuleList } from './rule-fields.tsx'

const JsonFields = lazy(() => import('./editor-dialogs.ts').then(it => it.JsonFields))
const PublishDialog = lazy(() => import('./editor-dialogs.ts').then(it => it.PublishDialog))
const DiscardDialog = lazy(() => import('./editor-dialogs.ts').then(it => it.DiscardDialog))

export const NewTemplate = () => <Page keyOfTemplate={unnamed} title="New Template" />

export const EditTemplate = ({ params }: { params: Readonly<Record<string, string>> }) => (
  <Page keyOfTemplate={params['key'] ?? ''} title={`Draft of ${params['key'] ?? ''}`} />
)

function Page({ keyOfTemplate, title }: { keyOfTemplate: string; title: string }) {
  pageTitle.value = title
  const loaded = useLoaded(() => readFor(keyOfTemplate))
  return (
    <>
      <p class="crumbs">
        <a href={pathTo('templates')}>Templates</a>
        {keyOfTemplate !== unnamed && (
          <>
            {' / '}
            <a href={pathTo('template', { key: keyOfTemplate })}>{keyOfTemplate}</a>
          </>
        )}
      </p>
      <h1>{title}</h1>
      {may('editor') ? (
        <Shown of={loaded}>{read => <Writable read={read} keyOfTemplate={keyOfTemplate} />}</Shown>
      ) : (
        <Empty title="Not for viewers">
          <p>An editor or owner of the workspace writes and publishes Templates.</p>
        </Empty>
      )}
    </>
  )
}

interface Read {
  /** The revision that the draft follows; null: it is a new Template, or there is no such one. */
  before: SentTemplate | null
  destinations: readonly NamedDestination[]
}

async function readFor(key: string): Promise<Read> {
  const [before, destinations] = await Promise.all([key === unnamed ? null : readHighest(key), readDestinations()])
  return { before, destinations }
}

interface WritableProps {
  read: Read
  keyOfTemplate: string
}

function Writable({ read, keyOfTemplate }: WritableProps) {
  const { before } = read
  if (keyOfTemplate !== unnamed && (before === null || isSystem(before))) {
    return (
      <Empty title={before === null ? 'This workspace has no such Template' : 'A system Template is not changed'}>
        <p>
          <a href={pathTo('templates')}>All Templates</a>
        </p>
      </Empty>
    )
  }
  return <Writing read={read} keyOfTemplate={keyOfTemplate} />
}

function Writing({ read: { before, destinations }, keyOfTemplate }: WritableProps) {
  const begin = () => (before === null ? emptyDraft() : nextDraft(before, before.version + 1, destinations))
  const editing = useMemo(() => {
    const kept = readDraft(keyOfTemplate)
    // Gives a stored draft the version after the highest revision, because a revision may have been published since the draft was stored.
    const start: Draft = kept === null ? begin() : { ...kept, ...(before === null ? {} : { version: before.version + 1 }) }
    const context = {
      schedule,
      now: serverNow,
      preview: (body: object, signal: AbortSignal) => askV3<Preview>('POST', inWorkspace('/templates/preview'), body, signal),
      onChange: (draft: Draft) => void keepDraft(keyOfTemplate, draft),
    }
    const names = destinations.map(({ name }) => name)
    const made: Editing = { editor: createEditor(start, context), places: new Set(), drawn: signal(0), destinations: names }
    return made
  }, [])
  const { editor } = editing
  const form = useRefusals(editing)
  useEffect(() => {
    editor.judgeSoon()
    return editor.stop
  }, [editor])
  const restart = () => {
    editor.replace(begin())
    dropDraft(keyOfTemplate)
  }
  const finish = () => dropDraft(keyOfTemplate)
  return (
    <EditingContext.Provider value={editing}>
      <FormContext.Provider value={form}>
        <div class="template-editor">
          <div class="editor-form">
            <Forms isKeyFixed={before !== null} />
            <Acts destinations={destinations} before={before} editor={editor} onFinished={finish} onRestart={restart} />
          </div>
          <PreviewPanel />
        </div>
      </FormContext.Provider>
    </EditingContext.Provider>
  )
}

/** Shows the preview's refusal beside the field that the refusal names. */
function useRefusals({ editor, places, drawn }: Editing) {
  const form = useMemo(createFormState, [])
  useEffect(
    () =>
      effect(() => {
        const refusal = editor.refusal.value
        const place = drawn.value > 0 ? shownPlace(refusal?.place ?? null, places) : null
        form.refusals.value = refusal === null || place === null ? new Map() : new Map([[place, refusal.sentence]])
      }),
    [form],
  )
  return form
}

function Forms({ isKeyFixed }: { isKeyFixed: boolean }) {
  const isJson = useSignal(false)
  return (
    <>
      <div class="acts">
        <Button look="quiet" onClick={() => (isJson.value = !isJson.value)}>
          {isJson.value ? 'Back to the form' : 'Write as JSON'}
        </Button>
      </div>
      {isJson.value ? (
        <JsonFields />
      ) : (
        <>
          <Names isKeyFixed={isKeyFixed} />
          <h2>Signals</h2>
          <SignalList />
          <h2>Rules</h2>
          <RuleList />
          <h2>Answers of each monitor</h2>
          <p class="hint">A threshold or a wait may be an answer, so that each monitor has its own.</p>
          <FieldList />
        </>
      )}
    </>
  )
}

interface ActsProps {
  destinations: readonly NamedDestination[]
  before: SentTemplate | null
  editor: Editor
  onFinished(): void
  onRestart(): void
}

function Acts({ destinations, before, editor, onFinished, onRestart }: ActsProps) {
  const dialog = useSignal<'publish' | 'discard' | null>(null)
  const close = () => (dialog.value = null)
  const draft = editor.draft.value
  const isRight = editor.refusal.value === null && editor.judged.value?.draft === draft && lackOf(draft) === null
  return (
    <div class="acts editor-acts">
      <Button look="main" disabled={!isRight} onClick={() => (dialog.value = 'publish')}>
        Publish…
      </Button>
      <Button onClick={() => (dialog.value = 'discard')}>Discard draft</Button>
      <span class="dim">The draft is kept in this browser.</span>
      {dialog.value === 'publish' && (
        <PublishDialog draft={draft} before={before} destinations={destinations} onPublished={onFinished} onClose={close} />
      )}
      {dialog.value === 'discard' && <DiscardDialog before={before} onDiscard={onRestart} onClose={close} />}
    </div>
  )
}
