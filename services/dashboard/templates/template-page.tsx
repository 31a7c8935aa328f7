// One Template: a revision in words, the list of revisions, and the action that moves Resources to another revision.
import { useSignal } from '@preact/signals'
import { isWebsiteTemplate } from '#shared/checks/website/website-template.ts'
import type { SentTemplate } from '#shared/contracts/resources/sent-template.ts'
import { grouped } from '../data/format.ts'
import { pathTo } from '../data/routing.ts'
import { may } from '../data/session.ts'
import { pageTitle } from '../data/title.ts'
import { Button, ButtonLink } from '../parts/button.tsx'
import { Shown } from '../parts/loaded.tsx'
import { Empty } from '../parts/states.tsx'
import { type Column, Table } from '../parts/table/table.tsx'
import { draftKeys } from './editor/draft-store.ts'
import { RebindDialog } from './revision/rebind-dialog.tsx'
import { Revision } from './revision/revision.tsx'
import { isSystem, keyOf, type TemplatesRead } from './template.ts'
import { useTemplates } from './use-templates.ts'

export function TemplatePage({ params }: { params: Readonly<Record<string, string>> }) {
  const { key: reference = '' } = params
  pageTitle.value = keyOf(reference)
  const loaded = useTemplates()
  return (
    <>
      <p class="crumbs">
        <a href={pathTo('templates')}>Templates</a>
      </p>
      <Shown of={loaded}>{read => <Found read={read} reference={reference} onChanged={loaded.reload} />}</Shown>
    </>
  )
}

interface FoundProps {
  read: TemplatesRead
  reference: string
  onChanged(): Promise<void>
}

function Found({ read, reference, onChanged }: FoundProps) {
  const key = keyOf(reference)
  const revisions = read.templates.filter(one => one.key === key).toSorted((one, other) => other.version - one.version)
  const [highest] = revisions
  const shown = reference.includes('@') ? revisions.find(({ id }) => id === reference) : highest
  pageTitle.value = shown?.name ?? key
  if (highest === undefined || shown === undefined) {
    return (
      <>
        <h1>{reference}</h1>
        <Empty title="This workspace has no such Template">
          <p>It was never published here, or it is damaged in the store.</p>
        </Empty>
      </>
    )
  }
  return (
    <>
      <div class="head">
        <h1>
          {shown.name} <span class="label">{shown.id}</span>
          {isSystem(shown) && <span class="label">System</span>}
        </h1>
        {may('editor') && (
          <ButtonLink href={isWebsiteTemplate(shown.id) ? pathTo('newMonitor') : pathTo('newResource', { template: key })}>
            Add monitor
          </ButtonLink>
        )}
        {may('editor') && !isSystem(shown) && (
          <ButtonLink look="main" href={pathTo('editTemplate', { key })}>
            {draftKeys().includes(key) ? 'Go on with the draft' : `Write version ${highest.version + 1}`}
          </ButtonLink>
        )}
      </div>
      {shown !== highest && (
        <p class="template-warning">
          This is an older revision. <a href={pathTo('template', { key: highest.id })}>{highest.id}</a> is the newest.
        </p>
      )}
      <Revision template={shown} destinations={read.destinations} />
      {!isSystem(shown) && <Revisions read={read} revisions={revisions} highest={highest} onChanged={onChanged} />}
    </>
  )
}

interface RevisionRow {
  id: string
  /** True if the revision can be read. */
  isKnown: boolean
  uses: number
}

function Revisions({
  read: { uses },
  revisions,
  highest,
  onChanged,
}: Omit<FoundProps, 'reference'> & { revisions: readonly SentTemplate[]; highest: SentTemplate }) {
  const rebound = useSignal<string | null>(null)
  const known = new Set(revisions.map(({ id }) => id))
  const unread = Object.keys(uses).filter(id => keyOf(id) === highest.key && !known.has(id))
  const rows = [...known, ...unread].map(id => ({ id, isKnown: known.has(id), uses: uses[id] ?? 0 }))
  return (
    <>
      <h2>Revisions</h2>
      <p class="dim">
        A new monitor takes {highest.id}. One that lives by an older revision stays with it until it is rebound. A revision is
        never deleted.
      </p>
      <Table
        label="Revisions"
        columns={revisionColumns(highest.id, id => (rebound.value = id))}
        rows={rows}
        keyOf={({ id }) => id}
        empty="None."
      />
      {rebound.value !== null && (
        <RebindDialog from={rebound.value} to={highest.id} onDone={onChanged} onClose={() => (rebound.value = null)} />
      )}
    </>
  )
}

const revisionColumns = (highest: string, rebind: (id: string) => void): readonly Column<RevisionRow>[] => [
  {
    head: 'Revision',
    cell: ({ id, isKnown }) => (isKnown ? <a href={pathTo('template', { key: id })}>{id}</a> : `${id}: missing or damaged`),
  },
  { head: 'Monitors', isNumber: true, cell: ({ uses }) => grouped(uses) },
  ...(may('editor')
    ? [
        {
          head: 'Acts',
          cell: ({ id, uses }: RevisionRow) =>
            id === highest || uses === 0 ? null : (
              <Button aria-label={`Rebind to ${highest}: the monitors of ${id}`} onClick={() => rebind(id)}>
                Rebind to {highest}
              </Button>
            ),
        },
      ]
    : []),
]
