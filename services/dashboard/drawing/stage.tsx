// Drawing of a machine in a region that scrolls. If the active state is out of sight, the region scrolls to this state.
import { useLayoutEffect, useRef } from 'preact/hooks'
import type { MachineLayout } from '#shared/contracts/session/machine-layout.ts'
import type { Life } from './life.ts'
import { Machine } from './machine.tsx'

interface StageProps {
  /** Layout of the drawing; null: not loaded yet. */
  layout: MachineLayout | null
  life: Life
  label: string
  /** Name of the region for screen readers. */
  name?: string
}

export function Stage({ layout, life, label, name = 'Drawing' }: StageProps) {
  const region = useRef<HTMLElement>(null)
  useLayoutEffect(() => {
    const stage = region.current
    const state = stage?.querySelector('.is-active')?.getBoundingClientRect()
    if (stage === null || state === undefined || stage.scrollWidth <= stage.clientWidth) return
    const { left, width } = stage.getBoundingClientRect()
    stage.scrollLeft += state.left + state.width / 2 - left - width / 2
  }, [life.active, layout])
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls is reached by keyboard
    <section class="stage" data-direction={layout?.direction ?? 'right'} aria-label={name} tabIndex={0} ref={region}>
      {layout !== null && <Machine layout={layout} life={life} label={label} />}
    </section>
  )
}
