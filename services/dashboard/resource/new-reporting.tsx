// The page that chooses the Template of a new monitor, of something that reports by itself.
import type { SentTemplate } from '#shared/contracts/resources/sent-template.ts'
import { askV3 } from '../data/api.ts'
import { pathTo } from '../data/routing.ts'
import { pageTitle } from '../data/title.ts'
import { ForEditors } from '../parts/for-editors.tsx'
import { Shown, useLoaded } from '../parts/loaded.tsx'
import { addPageStyle } from '../parts/page-style.ts'
import { Empty } from '../parts/states.tsx'
import settings from '../styles/settings.page.css'
import { inWorkspace } from '../templates/template.ts'
import { readOffer } from './check-kinds.ts'
import { Question } from './question.tsx'

addPageStyle(settings)

export function NewReporting() {
  pageTitle.value = 'New monitor for reports'
  return (
    <>
      <p class="crumbs">
        <a href="/">Monitoring</a>
      </p>
      <ForEditors>
        <Chosen />
      </ForEditors>
    </>
  )
}

function Chosen() {
  const loaded = useLoaded(() =>
    Promise.all([askV3<readonly SentTemplate[]>('GET', inWorkspace('/templates?own=true')), readOffer('short')]),
  )
  return (
    <Shown of={loaded}>
      {([templates, offer]) => (
        <>
          <Question {...offer} chosen={null} />
          <OfReports templates={templates} />
        </>
      )}
    </Shown>
  )
}

function OfReports({ templates }: { templates: readonly SentTemplate[] }) {
  return (
    <>
      <p>
        A backup, a queue, a fleet of sensors: something that reports how it is. Its Template says what it reports, when that is a
        problem, and what to do then.
      </p>
      <Choices templates={highestOf(templates)} />
      <details class="folded">
        <summary>More</summary>
        <p>
          A monitor can also have signals and rules of its own, without a Template.{' '}
          <a href={pathTo('newSubject')}>Add monitor without a Template</a>
        </p>
      </details>
    </>
  )
}

function Choices({ templates }: { templates: readonly SentTemplate[] }) {
  if (templates.length === 0) {
    return (
      <Empty title="No Templates of your own yet">
        <p>
          <a href={pathTo('newTemplate')}>Write a Template</a> first. Every monitor of this kind is then judged by it.
        </p>
      </Empty>
    )
  }
  return (
    <>
      <Cards templates={templates} />
      <p>
        None of them fits? <a href={pathTo('newTemplate')}>Write a Template</a>
      </p>
    </>
  )
}

const Cards = ({ templates }: { templates: readonly SentTemplate[] }) => (
  <ul class="cards">
    {templates.map(({ key, name, summary }) => (
      <li key={key} class="card">
        <h2>
          <a href={pathTo('newResource', { template: key })}>{name}</a>
        </h2>
        {summary !== '' && <p>{summary}</p>}
      </li>
    ))}
  </ul>
)

/** Returns the highest revision of each Template, by name. */
function highestOf(templates: readonly SentTemplate[]): SentTemplate[] {
  const highest = new Map<string, SentTemplate>()
  for (const one of templates) {
    if (one.version > (highest.get(one.key)?.version ?? 0)) highest.set(one.key, one)
  }
  return [...highest.values()].toSorted((one, other) => one.name.localeCompare(other.name))
}
