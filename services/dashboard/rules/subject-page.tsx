// The page of a custom subject: its signals and its rules. A website monitor becomes a custom subject by its first rule.
import { useEffect, useMemo } from 'preact/hooks'
import { sentenceOf } from '../data/api.ts'
import { createLoaded, type Loaded } from '../data/loaded.ts'
import { type IsWanted, onGatheredNews } from '../data/stream.ts'
import { pageTitle } from '../data/title.ts'
import { addPageStyle } from '../parts/page-style.ts'
import { Empty, Failed, Loading } from '../parts/states.tsx'
import settings from '../styles/settings.page.css'
import style from './rules.page.css'
import { Rules } from './rules.tsx'
import { Signals } from './signals.tsx'
import { readSubject, type Subject } from './subject.ts'
import { gatherMs } from './trial.ts'

addPageStyle(settings)
addPageStyle(style)

function SubjectPage({ params: { id = '' } }: { params: Readonly<Record<string, string>> }) {
  const loaded = useMemo(() => createLoaded(() => readSubject(id)), [id])
  useEffect(() => follow(id, loaded), [id, loaded])
  const subject = loaded.value.value
  const failure = loaded.failure.value
  if (subject === null && failure === null) return <Loading />
  if (subject === null) return <Failed page="monitor" error={failure} onRetry={() => void loaded.reload()} />
  pageTitle.value = `Signals and rules of ${subject.name}`
  return (
    <>
      <p class="crumbs">
        <a href="/">Monitoring</a> /{' '}
        <a href={`/monitors/${id}`} dir="auto">
          {subject.name}
        </a>
      </p>
      <h1>
        Signals and rules of <span dir="auto">{subject.name}</span>
      </h1>
      {/* Typed text stays, whatever happened to the monitor. */}
      {failure !== null && <p class="banner">This may be out of date: {sentenceOf(failure)}</p>}
      {subject.kind === 'template' ? (
        <Empty title="Its signals and rules come from its Template">
          <p>Publish another version of the Template to change them.</p>
        </Empty>
      ) : (
        <>
          <Signals subject={subject} reload={loaded.reload} />
          <Rules subject={subject} reload={loaded.reload} />
        </>
      )}
    </>
  )
}

/** Reads the subject, and again after each event about it, also after a reading. */
function follow(id: string, loaded: Loaded<Subject>): () => void {
  const reload = () => void loaded.reload()
  const isAbout: IsWanted = (name, data) => {
    const { id: row, monitor } = data as { id?: unknown; monitor?: unknown }
    return name === 'reset' || row === id || monitor === id
  }
  reload()
  return onGatheredNews(gatherMs, isAbout, reload)
}

export { SubjectPage as signals }
