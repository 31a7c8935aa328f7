// The question with which a new monitor begins, and its answers. Each answer leads to a form, or to the Templates of what reports by itself.
import type { Location } from '../administration/location.ts'
import { pathTo } from '../data/routing.ts'
import { addPageStyle } from '../parts/page-style.ts'
import { keyOf } from '../templates/template.ts'
import { type ListedKind, lackEverywhere } from './check-kinds.ts'
import style from './question.page.css'

addPageStyle(style)

/** Key of the Template of jobs. */
export const jobTemplate = 'heartbeat-check'

interface Props {
  kinds: readonly ListedKind[]
  locations: readonly Location[]
  /** The answer whose form is on the page; null: something that reports. */
  chosen: ListedKind | 'job' | null
}

export function Question({ kinds, locations, chosen }: Props) {
  const kind = chosen === 'job' ? null : chosen
  const lack = kind && lackEverywhere(kind, locations)
  return (
    <>
      <h1 id="question">What do you want to watch?</h1>
      <nav class="answers" aria-labelledby="question">
        {kinds.map(one => (
          <a
            key={one.type}
            class={lackEverywhere(one, locations) === null ? 'button' : 'button dim'}
            title={lackEverywhere(one, locations) ?? undefined}
            href={pathTo('newResource', { template: keyOf(one.template) })}
            aria-current={one === chosen ? 'page' : undefined}
          >
            {one.watches}
          </a>
        ))}
        <a
          class="button"
          href={pathTo('newResource', { template: jobTemplate })}
          aria-current={chosen === 'job' ? 'page' : undefined}
        >
          A job
        </a>
        <a class="button" href={pathTo('newReporting')} aria-current={chosen === null ? 'page' : undefined}>
          Something that reports
        </a>
      </nav>
      {kind !== null && <p>{kind.help}</p>}
      {lack !== null && <p class="dim">No location can make this check now: {lack}.</p>}
    </>
  )
}
