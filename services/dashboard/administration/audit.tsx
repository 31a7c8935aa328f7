// Audit of the workspace, for its owners, and audit of the installation, for administrators. Shows who changed what, newest first. The
// page's address contains the filters.
import { useSignal } from '@preact/signals'
import { useEffect, useMemo } from 'preact/hooks'
import { createLoaded } from '../data/loaded.ts'
import { type PageOf, readPageOf } from '../data/paged.ts'
import { query, setQuery } from '../data/router.ts'
import { isAdmin, may, workspace } from '../data/session.ts'
import { pageTitle } from '../data/title.ts'
import { useAct } from '../parts/act.ts'
import { ShowOlder } from '../parts/button.tsx'
import { Shown, useLoaded } from '../parts/loaded.tsx'
import { AdministrationSections, SettingsSections } from '../parts/sections.tsx'
import { Empty } from '../parts/states.tsx'
import { type Column, Table } from '../parts/table/table.tsx'
import { Tabs } from '../parts/table/tabs.tsx'
import { Time } from '../parts/time.tsx'
import { AuditFilters } from './audit-filters.tsx'
import { linkOfMade, partsOfPath, wordOfMade } from './audit-links.ts'
import { type AuditMade, type AuditRow, installationAudit, workspaceAudit } from './audit-rows.ts'

const kinds = [
  { id: 'workspace', word: 'Workspace' },
  { id: 'installation', word: 'Installation' },
]

export function Audit() {
  pageTitle.value = 'Audit'
  const isOfInstallation = isAdmin.value && query.value.get('of') === 'installation'
  return (
    <>
      {isAdmin.value ? <AdministrationSections /> : <SettingsSections />}
      <h1>Audit</h1>
      {isAdmin.value ? (
        <Tabs
          label="Audit"
          of={kinds}
          chosen={isOfInstallation ? 'installation' : 'workspace'}
          onChoose={kind => setQuery({ of: kind === 'workspace' ? null : kind })}
        >
          {isOfInstallation ? <OfInstallation /> : <OfWorkspace />}
        </Tabs>
      ) : (
        <OfWorkspace />
      )}
    </>
  )
}

/** Changes that belong to no workspace: accounts, locations, probers. */
function OfInstallation() {
  const load = (cursor: string | null) => readPageOf<AuditRow>(installationAudit, cursor)
  const loaded = useLoaded(() => load(null))
  return (
    <>
      <p class="dim">Who changed what outside of workspaces: accounts, locations, probers. Rows are kept for 400 days.</p>
      <Shown of={loaded}>{page => <Pages first={page} load={load} />}</Shown>
    </>
  )
}

function OfWorkspace() {
  if (may('owner')) return <Rows />
  return (
    <Empty title="For owners">
      <p>An owner of {workspace.value?.name} reads its audit.</p>
    </Empty>
  )
}

function Rows() {
  const filters = query.value.toString()
  const load = (cursor: string | null) => readPageOf<AuditRow>(workspaceAudit(filters), cursor)
  const loaded = useMemo(() => createLoaded(() => load(null)), [filters])
  useEffect(() => void loaded.reload(), [loaded])
  const clears = useSignal(0)
  const clear = () => {
    setQuery({ person: null, path: null, since: null, until: null })
    // Creates the form again. The element with the focus then no longer exists, so the page itself gets the focus.
    clears.value += 1
    document.getElementById('main')?.focus()
  }
  return (
    <>
      <p class="dim">Who changed what in {workspace.value?.name}, or read its evidence by key. Rows are kept for 400 days.</p>
      <AuditFilters key={clears.value} filters={query.value} onApply={setQuery} onClear={clear} />
      <Shown key={filters} of={loaded}>
        {page => <Pages first={page} load={load} />}
      </Shown>
    </>
  )
}

/** Shows the first page of rows, and the further pages that the person has requested. */
function Pages({ first, load }: { first: PageOf<AuditRow>; load(cursor: string | null): Promise<PageOf<AuditRow>> }) {
  const shown = useSignal(first)
  const more = useAct(async () => {
    const page = await load(shown.peek().next)
    shown.value = { items: [...shown.peek().items, ...page.items], next: page.next }
    return `${page.items.length} older rows are shown.`
  })
  const { items, next } = shown.value
  const isEnd = next === null
  return (
    <>
      <Table
        label="Audit rows"
        columns={columns}
        rows={items.map((row, index) => ({ ...row, id: String(index) }))}
        keyOf={({ id }) => id}
        empty={isEnd ? 'No rows fit.' : 'No rows fit so far. Older ones may.'}
      />
      {!isEnd && <ShowOlder what="rows" isBusy={more.isBusy} run={more.run} />}
    </>
  )
}

type ShownRow = AuditRow & { id: string }

const columns: readonly Column<ShownRow>[] = [
  { head: 'When', cell: ({ at }) => <Time at={Date.parse(at)} isLong /> },
  { head: 'Person', cell: ({ person }) => person?.name ?? '–' },
  { head: 'By', cell: meansOf },
  { head: 'Request', cell: ({ method, path }) => <Request method={method} path={path} /> },
  { head: 'Made', cell: ({ made }) => (made === null ? '–' : <Made made={made} />) },
  { head: 'Status', isNumber: true, cell: ({ status }) => status },
  { head: 'Program', cell: ({ user_agent }) => user_agent ?? '–' },
]

/** The request, with a link at each part of the path that names an object with a page. */
function Request({ method, path }: Pick<AuditRow, 'method' | 'path'>) {
  return (
    <code>
      {`${method} `}
      {partsOfPath(path).map(({ text, href }) => (href === null ? text : <a href={href}>{text}</a>))}
    </code>
  )
}

function Made({ made }: { made: AuditMade }) {
  const href = linkOfMade(made)
  const name = made.name === '' ? made.id : made.name
  return (
    <>
      {wordOfMade(made)}{' '}
      {href === null ? (
        <span dir="auto">{name}</span>
      ) : (
        <a href={href} dir="auto">
          {name}
        </a>
      )}
    </>
  )
}

function meansOf({ key, address, destination }: AuditRow): string {
  if (destination !== null) return `Acknowledge link of ${destination.id}`
  if (address !== null) return `Observation address ${address.id}`
  return key === null ? 'Session' : `Key ${key.prefix}…`
}
