// Mark of a state: its sign, its word and its colour together. Signs are drawn, because symbol characters differ between fonts.
import type { JSX } from 'preact'
import { inTone, stateOf, type Tone } from '../words/statuses.ts'

/** `state`: name of the state in the API. `word`: text that replaces the usual word of the state. */
export function StatusMark({ state, word }: { state: string; word?: string | undefined }) {
  const known = stateOf(state)
  return (
    <span class="status" style={inTone(known.tone)}>
      <Sign tone={known.tone} />
      {word ?? known.word}
    </span>
  )
}

/** Symbol of a status without its word. It is used where the word stands beside the symbol anyway. */
export function Sign({ tone }: { tone: Tone }) {
  return (
    <svg class="sign" viewBox="0 0 12 12" aria-hidden="true" style={inTone(tone)}>
      {shapes[tone]}
    </svg>
  )
}

const ring = (sector: string) => (
  <g>
    <circle cx="6" cy="6" r="4.5" fill="none" stroke="currentColor" stroke-width="1.5" />
    <path d={sector} fill="currentColor" />
  </g>
)
const shapes: Readonly<Record<Tone, JSX.Element>> = {
  up: <circle cx="6" cy="6" r="4.5" fill="currentColor" />,
  down: <path d="M6 .8 11.6 11H.4z" fill="currentColor" />,
  'no-data': <circle cx="6" cy="6" r="4.5" fill="none" stroke="currentColor" stroke-width="1.7" stroke-dasharray="2.3 1.8" />,
  pending: ring('M6 6V1.5A4.5 4.5 0 0 1 10.5 6z'),
  recovering: ring('M6 1.5a4.5 4.5 0 0 1 0 9z'),
  maintenance: <path d="M2.5 1.5h2.5v9H2.5zM7 1.5h2.5v9H7z" fill="currentColor" />,
  closed: <path d="m1.5 6.4 3 3 6-6.6" fill="none" stroke="currentColor" stroke-width="1.8" />,
}
