// Section whose content is created when it comes into view. For a section that nobody scrolls to, no code and no data are loaded.
import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'

interface LaterProps {
  title: string
  /** Whether the section holds a chart, for which height is reserved. */
  isTall?: boolean
  children: ComponentChildren
}

/** Height of the heading. Content is created when a point below the heading comes into view. */
const headPx = 64

export function Later({ title, isTall = false, children }: LaterProps) {
  const region = useRef<HTMLElement>(null)
  const isSeen = useSignal(false)
  useEffect(() => {
    if (region.current === null) return
    const look: IntersectionObserverCallback = entries => {
      if (!entries.some(({ isIntersecting }) => isIntersecting)) return
      observer.disconnect()
      isSeen.value = true
    }
    const observer = new IntersectionObserver(look, { rootMargin: `0px 0px -${headPx}px` })
    observer.observe(region.current)
    return () => observer.disconnect()
  }, [isSeen])
  return (
    <section class="later" data-tall={isTall} ref={region}>
      <h2>{title}</h2>
      {isSeen.value && children}
    </section>
  )
}
