// Outcomes of checks that were tried, one for each signal and location. Loaded after the first try.
import { signalName } from '../words/places.ts'
import { TriedDetails, type TriedMore } from './tried-details.tsx'

export interface Tried extends TriedMore {
  signal: string
  location: { id: string; name: string }
  outcome: 'passed' | 'failed' | 'cannot' | 'no_answer'
  error: string | null
  phases: { total_ms: number } | null
}

const words = { passed: 'passed', failed: 'failed', cannot: 'cannot be made there', no_answer: 'no answer' } as const

export function TriedList({ tried }: { tried: readonly Tried[] }) {
  return (
    <>
      {tried.map(({ signal, location, outcome, error, phases, ...more }) => (
        <div key={`${signal} ${location.id}`}>
          <p data-outcome={outcome}>
            <strong>{signalName(`${signal}@${location.id}`, { [location.id]: location.name })}</strong> {words[outcome]}
            {phases !== null && ` in ${Math.round(phases.total_ms)} ms`}
            {error !== null && `: ${error}`}
          </p>
          <TriedDetails {...more} />
        </div>
      ))}
    </>
  )
}
