// Section of a page. Its content is created when a person scrolls to the section; only then its code and its data are loaded.
import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'

interface LaterProps {
  title: string
  /** True if the section has a chart. The height of a chart is then reserved. */
  isTall?: boolean
  children: ComponentChildren
}

/** Height of a section's heading, pixels. The content is created when more than the heading is in view. */
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
