// The monitoring page: a summary, then the list of monitors. The list is always sorted by status, worst first.
import { useSignalEffect } from '@preact/signals'
import { useEffect, useMemo } from 'preact/hooks'
import { may, workspaceId } from '../data/session.ts'
import { onNews } from '../data/stream.ts'
import { pageTitle, troubles } from '../data/title.ts'
import { ButtonLink } from '../parts/button.tsx'
import { lazy } from '../parts/lazy.tsx'
import { addPageStyle } from '../parts/page-style.ts'
import { Failed, Loading } from '../parts/states.tsx'
import { Sign } from '../parts/status-mark.tsx'
import style from './list.page.css'
import { ListActs } from './list-acts.tsx'
import { isRow } from './news.ts'
import { RowTable } from './row-table.tsx'
import rowsStyle from './rows.page.css'
import type { Rows } from './rows.ts'
import { summarySentence, totalOf, troubleOf, worstOf } from './summary.ts'
import { Tools } from './tools.tsx'
import { filterOfAddress, rowsOfWorkspace } from './view.ts'

addPageStyle(style)
addPageStyle(rowsStyle)

const FirstRun = lazy(() => import('../resource/pages.ts').then(it => it.FirstRun))

function MonitoringList() {
  pageTitle.value = ''
  return <ListOf key={workspaceId.value ?? ''} />
}

function ListOf() {
  const rows = useMemo(rowsOfWorkspace, [])
  useSignalEffect(() => rows.filter(filterOfAddress()))
  useSignalEffect(() => {
    const counts = rows.counts.value
    if (counts !== null) troubles.value = { count: troubleOf(counts), worst: worstOf(counts) }
  })
  useEffect(
    () =>
      onNews((name, data) => {
        if (name === 'reset') rows.refresh()
        else if (name === 'opened') rows.verify()
        else if (name === 'row' && isRow(data)) rows.changed(data)
        else if (name === 'gone') rows.gone(String((data as { id?: unknown }).id))
      }),
    [rows],
  )
  if (rows.counts.value === null) {
    return rows.failure.value === null ? <Loading /> : <Failed error={rows.failure.value} onRetry={rows.refresh} />
  }
  return totalOf(rows.counts.value) === 0 ? <FirstRun /> : <Full rows={rows} />
}

function Full({ rows }: { rows: Rows }) {
  return (
    <>
      <Summary rows={rows} />
      <Tools rows={rows} />
      <ListActs rows={rows} />
      <RowTable rows={rows} />
    </>
  )
}

function Summary({ rows }: { rows: Rows }) {
  const counts = rows.counts.value
  if (counts === null) return null
  return (
    <div class="summary">
      <div role="status">
        <h1>
          <Sign tone={worstOf(counts)} /> {summarySentence(counts)}
        </h1>
      </div>
      {may('editor') && (
        <ButtonLink href="/monitors/new" look="main">
          Add monitor
        </ButtonLink>
      )}
    </div>
  )
}

export { MonitoringList as monitoring }
