// Layouts of the machines, one for each form. The page loads the layout for its width, and the other layout when the width changes.
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

/** Media query of the wide layout, whose words are too small to read in a narrower window. */
const wideFrom = '(min-width: 64rem)'

/**
 * Returns the layout that fits the window; null until the layout is loaded, or if it cannot be loaded. The page gives the same facts in
 * words, too.
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
