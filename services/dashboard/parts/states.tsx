// Placeholders for content: empty, loading, or failed with the reason.
import type { ComponentChildren } from 'preact'
import { sentenceOf } from '../data/api.ts'
import { Button } from './button.tsx'

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
  /** Whether the page has no other content: the heading is then the page's heading. */
  isPage?: boolean
}

export function Failed({ error, onRetry, isPage = false }: FailedProps) {
  const Heading = isPage ? 'h1' : 'h2'
  return (
    <section class="empty" role="alert">
      <Heading>This could not be loaded</Heading>
      <p>{sentenceOf(error)}</p>
      <Button onClick={onRetry}>Try again</Button>
    </section>
  )
}
