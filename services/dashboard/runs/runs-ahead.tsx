// The next runs of a schedule that somebody is writing in a form. They follow each change of the form.
import { useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import type { SentSignal } from '#shared/contracts/resources/sent-template.ts'
import { now } from '../data/clock.ts'
import { expectedRunsOf, nextRuns, runIn } from './expected-runs.ts'

const shownRuns = 3

/** `nameOf`: name of the input of a field. `usual`: default of a field, for an input that is empty. */
export function RunsAhead({
  signal,
  nameOf,
  usual,
}: {
  signal: SentSignal
  nameOf(field: string): string
  usual(field: string): unknown
}) {
  const place = useRef<HTMLDivElement>(null)
  const typed = useSignal<FormData | null>(null)
  useEffect(() => {
    const form = place.current?.closest('form') ?? null
    if (form === null) return
    const read = () => {
      typed.value = new FormData(form)
    }
    read()
    form.addEventListener('input', read)
    return () => form.removeEventListener('input', read)
  }, [typed])
  const answerTo = (field: string) => typed.value?.get(nameOf(field)) || usual(field)
  const expected = expectedRunsOf(signal, answerTo)
  const runs = expected === null ? [] : nextRuns(expected, now.value, shownRuns)
  return (
    <div ref={place} class="part-of-form" aria-live="polite">
      {typeof runs === 'string' ? (
        <p class="dim">{runs}</p>
      ) : (
        <>
          <p>{expected?.cron === '' ? 'If it ran now, the next runs would be expected:' : 'The next runs:'}</p>
          <ol>
            {runs.map(at => (
              <li key={at}>{runIn(expected?.zone ?? 'UTC', at)}</li>
            ))}
          </ol>
        </>
      )}
    </div>
  )
}
