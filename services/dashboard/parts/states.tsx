// Parts shown instead of content: empty, loading, or failed with the reason.
import type { ComponentChildren } from 'preact'
import { Refusal, sentenceOf } from '../data/api.ts'
import { Button } from './button.tsx'
import { lazy } from './lazy.tsx'

const NoSuch = lazy(() => import('../help/no-such.tsx').then(it => it.NoSuch))

export function Empty({ title, children }: { title: string; children?: ComponentChildren }) {
  return (
    <section class="empty">
      <h2>{title}</h2>
      {children}
    </section>
  )
}

export function Loading() {
  return (
    <p class="dim" aria-busy="true">
      Loading…
    </p>
  )
}

interface FailedProps {
  error: unknown
  onRetry(): void
  /**
   * Name of the object that the page shows, such as `monitor`. The heading of the failure is then the page's main heading (`h1`). Absent:
   * the page has other content beside the failure.
   */
  page?: string
}

export function Failed({ error, onRetry, page }: FailedProps) {
  if (page && error instanceof Refusal && error.status === 404) return <NoSuch noun={page} />
  const Heading = page ? 'h1' : 'h2'
  return (
    <section class="empty" role="alert">
      <Heading>This could not be loaded</Heading>
      <p>{sentenceOf(error)}</p>
      <Button onClick={onRetry}>Try again</Button>
    </section>
  )
}
