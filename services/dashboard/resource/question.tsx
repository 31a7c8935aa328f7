// The question with which a new monitor begins, and its answers. Each answer leads to a form, or to the Templates of what reports by itself.
import type { Location } from '../administration/location.ts'
import { pathTo } from '../data/routing.ts'
import { addPageStyle } from '../parts/page-style.ts'
import { keyOf } from '../templates/template.ts'
import { type ListedKind, lackEverywhere } from './check-kinds.ts'
import style from './question.page.css'

addPageStyle(style)

interface Props {
  kinds: readonly ListedKind[]
  locations: readonly Location[]
  /** The answer whose form is on the page; null: something that reports. */
  chosen: ListedKind | null
}

export function Question({ kinds, locations, chosen }: Props) {
  const lack = chosen && lackEverywhere(chosen, locations)
  return (
    <>
      <h1 id="question">What do you want to watch?</h1>
      <nav class="answers" aria-labelledby="question">
        {kinds.map(kind => (
          <a
            key={kind.type}
            class={lackEverywhere(kind, locations) === null ? 'button' : 'button dim'}
            title={lackEverywhere(kind, locations) ?? undefined}
            href={pathTo('newResource', { template: keyOf(kind.template) })}
            aria-current={kind === chosen ? 'page' : undefined}
          >
            {kind.watches}
          </a>
        ))}
        <a class="button" href={pathTo('newReporting')} aria-current={chosen === null ? 'page' : undefined}>
          Something that reports
        </a>
      </nav>
      {chosen !== null && <p>{chosen.help}</p>}
      {lack !== null && <p class="dim">No location can make this check now: {lack}.</p>}
    </>
  )
}
