// A new secret, which the server returns only once. The secret stays on the page until the person confirms that the secret is stored.
import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { Button } from './button.tsx'
import { Copy } from './copy.tsx'

interface ShownOnceProps {
  title: string
  /** Name of the secret, as in "Token copied." */
  noun: string
  secret: string
  onDone(): void
  children?: ComponentChildren
}

export function ShownOnce({ title, noun, secret, onDone, children }: ShownOnceProps) {
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => heading.current?.focus(), [secret])
  return (
    <section class="shown-once" aria-label={title}>
      <h2 tabIndex={-1} ref={heading}>
        {title}
      </h2>
      <p>
        <strong>It is shown this once.</strong> Watchkeeper stores no copy of it: keep it now.
      </p>
      <pre>
        <code>{secret}</code>
      </pre>
      <p class="acts">
        <Copy text={secret} noun={noun} words={`Copy ${noun === noun.toUpperCase() ? noun : noun.toLowerCase()}`} />
        <Button onClick={onDone}>I have kept it</Button>
      </p>
      {children}
    </section>
  )
}
