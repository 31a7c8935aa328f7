// Layouts of the machines: every machine has a wide layout and a tall layout. The page loads the layout that fits the width of the window.
import { type ReadonlySignal, signal } from '@preact/signals'
import type { MachineLayout } from '#shared/contracts/session/machine-layout.ts'

type Direction = MachineLayout['direction']
type Json = Promise<{ default: unknown }>

const files = {
  incident: {
    right: (): Json => import('../machines/incident-right.json', { with: { type: 'json' } }),
    down: (): Json => import('../machines/incident-down.json', { with: { type: 'json' } }),
  },
  maintenance: {
    right: (): Json => import('../machines/maintenance-right.json', { with: { type: 'json' } }),
    down: (): Json => import('../machines/maintenance-down.json', { with: { type: 'json' } }),
  },
} as const

/** Media query for the wide layout. In a narrower window, the words of the wide layout would be too small to read. */
const wideFrom = '(min-width: 64rem)'

/**
 * Returns the layout that fits the window; null until the layout is loaded, or if it cannot be loaded. Without a layout, the page still
 * shows all facts of the drawing as text.
 */
export function fittingLayout(machine: keyof typeof files): ReadonlySignal<MachineLayout | null> {
  const layout = signal<MachineLayout | null>(null)
  const isWide = matchMedia(wideFrom)
  const load = () => {
    const direction: Direction = isWide.matches ? 'right' : 'down'
    files[machine][direction]().then(
      file => {
        if (isWide.matches === (direction === 'right')) layout.value = file.default as MachineLayout
      },
      () => undefined,
    )
  }
  isWide.addEventListener('change', load)
  load()
  return layout
}
