// What servers answered to the failed checks of an incident, as it is kept: of each location the first and the newest answer. Not drawn if none is.
import { useLoaded } from '../parts/loaded.tsx'
import { addPageStyle } from '../parts/page-style.ts'
import { Time } from '../parts/time.tsx'
import { signalName } from '../words/places.ts'
import style from './answers.page.css'
import type { IncidentPage } from './page-state.ts'
import { type KeptResponse, readResponses } from './read.ts'

addPageStyle(style)

export function Answers({ page: { id, records } }: { page: IncidentPage }) {
  const responses = useLoaded(() => readResponses(records.latest.peek()?.workspace_id ?? '', id)).value.value ?? []
  const locations = records.locations.value
  if (responses.length === 0) return null
  return (
    <section aria-labelledby="answers">
      <h2 id="answers">What the server answered</h2>
      {responses.map(response => (
        <Answer key={`${response.location} ${response.at}`} response={response} place={signalName(response.signal, locations)} />
      ))}
    </section>
  )
}

function Answer({ response, place }: { response: KeptResponse; place: string }) {
  const { at, error, status_line: line, headers, body, binary, truncated } = response
  const head = [...(line === null ? [] : [line]), ...(headers ?? [])].join('\n')
  return (
    <article class="kept-answer">
      <h3>
        {place}, <Time at={Date.parse(at)} isLong />: {error}
      </h3>
      {head !== '' && <pre>{head}</pre>}
      {headers === null && <p class="dim">Its headers and its body are for editors and owners.</p>}
      {body && <pre>{body}</pre>}
      {binary && <p class="dim">The body is no text.</p>}
      {truncated && headers !== null && <p class="dim">More may follow: the beginning is kept.</p>}
    </article>
  )
}
