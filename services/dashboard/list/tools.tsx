// Search and filters. The page's address contains the searched text and the filters, so that a person can copy the address and open the
// same view again.
import { useRef } from 'preact/hooks'
import { schedule } from '../data/clock.ts'
import { grouped } from '../data/format.ts'
import { setQuery } from '../data/router.ts'
import { useKeys } from '../parts/keys/keys.ts'
import { Sign } from '../parts/status-mark.tsx'
import type { Rows } from './rows.ts'
import { countOf, filterMark, shownFilters } from './summary.ts'
import { filterOfAddress } from './view.ts'

/** Time without typing after which the search changes, ms. */
const typedMs = 120

export function Tools({ rows }: { rows: Rows }) {
  const search = useRef<HTMLInputElement>(null)
  const cancel = useRef(() => {})
  useKeys([
    {
      key: '/',
      words: 'Search',
      run: () => {
        search.current?.focus()
        search.current?.select()
      },
    },
  ])
  const { status, text } = filterOfAddress()
  const counts = rows.counts.value
  const type = (value: string) => {
    cancel.current()
    cancel.current = schedule(typedMs, () => setQuery({ q: value.trim() }))
  }
  return (
    <div class="tools">
      <label class="hidden" for="search">
        Search monitors by name, key or host
      </label>
      <input
        ref={search}
        id="search"
        type="search"
        class="input search"
        placeholder="Name, key or host"
        autoComplete="off"
        aria-keyshortcuts="/"
        defaultValue={text}
        onInput={event => type(event.currentTarget.value)}
      />
      <div class="filters" role="group" aria-label="Status">
        {counts !== null &&
          shownFilters(counts, status).map(one => {
            const { word, tone } = filterMark(one)
            return (
              <button
                key={one}
                type="button"
                class="filter"
                aria-pressed={one === status}
                onClick={() => setQuery({ status: one === 'all' ? null : one })}
              >
                {tone !== null && <Sign tone={tone} />}
                {word} <b>{grouped(countOf(one, counts))}</b>
              </button>
            )
          })}
      </div>
    </div>
  )
}
