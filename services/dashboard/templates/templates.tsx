// The Templates of the workspace. Every Template has a row with its number of Resources and its faults.
import { counted, grouped } from '../data/format.ts'
import { pathTo } from '../data/routing.ts'
import { may } from '../data/session.ts'
import { pageTitle } from '../data/title.ts'
import { ButtonLink } from '../parts/button.tsx'
import { Shown } from '../parts/loaded.tsx'
import { Empty } from '../parts/states.tsx'
import { type Column, Table } from '../parts/table/table.tsx'
import { draftKeys, unnamed } from './editor/draft-store.ts'
import { pathOfTemplate } from './template.ts'
import { type TemplateRow, templateRows } from './template-rows.ts'
import { useTemplates } from './use-templates.ts'

export function Templates() {
  pageTitle.value = 'Templates'
  const loaded = useTemplates()
  const drafts = may('editor') ? draftKeys() : []
  return (
    <>
      <div class="head">
        <h1>Templates</h1>
        {may('editor') && (
          <ButtonLink look="main" href={pathTo('newTemplate')}>
            {drafts.includes(unnamed) ? 'Go on with the new Template' : 'New Template'}
          </ButtonLink>
        )}
      </div>
      <p class="dim">
        A Template says what monitors of one kind report, when that is a problem, and what to do then. A published revision never
        changes. Monitors stay with theirs until they are rebound.
      </p>
      <Shown of={loaded}>
        {read => {
          const rows = templateRows(
            read,
            drafts.filter(key => key !== unnamed),
          )
          return (
            <>
              {rows.every(({ isSystem }) => isSystem) && (
                <Empty title="No Templates of your own yet">
                  <p>Website monitors need none. {may('editor') || 'An editor or owner of the workspace publishes Templates.'}</p>
                </Empty>
              )}
              <Table label="Templates" columns={columns} rows={rows} keyOf={({ key }) => key} empty="No Templates." />
            </>
          )
        }}
      </Shown>
    </>
  )
}

const columns: readonly Column<TemplateRow>[] = [
  {
    head: 'Template',
    cell: ({ name, key, version }) => (version === null ? name : <a href={pathOfTemplate(key, version)}>{name}</a>),
  },
  { head: 'Key', cell: ({ key }) => <code>{key}</code> },
  { head: 'Published', cell: row => published(row) },
  {
    head: 'Draft',
    cell: ({ key, hasDraft }) => (hasDraft ? <a href={pathTo('editTemplate', { key })}>In this browser</a> : '–'),
  },
  { head: 'Monitors', isNumber: true, cell: ({ current }) => grouped(current) },
  { head: 'With older revisions', isNumber: true, cell: ({ older }) => grouped(older) },
  { head: 'State', cell: row => <State row={row} /> },
]

function published({ version, revisions, isSystem }: TemplateRow): string {
  if (version === null) return '–'
  if (isSystem) return 'By the system'
  return revisions === 1 ? `Version ${version}` : `Version ${version}, ${counted(revisions, 'revision')}`
}

function State({ row: { faults, version } }: { row: TemplateRow }) {
  if (faults.length > 0) {
    return (
      <ul class="plain-list">
        {faults.map(fault => (
          <li key={fault} class="template-warning">
            {fault}
          </li>
        ))}
      </ul>
    )
  }
  return <>{version === null ? 'Not published yet' : 'Usable'}</>
}
