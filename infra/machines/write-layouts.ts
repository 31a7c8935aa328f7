// `npm run layouts`: lays out each machine in both directions and writes the layouts that the dashboard draws, with a small one for open
// incidents.
import { writeFile } from 'node:fs/promises'
import { machines } from '#machines/drawings.ts'
import type { MachineLayout, SmallLayout } from '#shared/contracts/session/machine-layout.ts'
import { graphOf } from './graph.ts'
import { type Direction, layOut } from './lay-out.ts'

const folder = new URL('../../services/dashboard/machines/', import.meta.url)
const directions: readonly Direction[] = ['right', 'down']

/** Text of each layout by the name of its file. */
export async function layouts(): Promise<Map<string, string>> {
  const texts = new Map<string, string>()
  for (const [name, machine] of Object.entries(machines))
    for (const direction of directions) {
      const layout = await layOut(graphOf(machine), direction)
      texts.set(`${name}-${direction}.json`, textOf(layout))
      if (name === 'incident' && direction === 'right') texts.set('small-incident.json', textOf(smallLayout(layout)))
    }
  return texts
}

const textOf = (layout: object): string => `${JSON.stringify(layout)}\n`

/** Returns the layout with only the names of states as text, and without the arrows of all open states. */
function smallLayout({ width, height, states, arrows }: MachineLayout): SmallLayout {
  return {
    width,
    height,
    states: states.map(({ id, title, x, y, width, height }) => ({ id, title, x, y, width, height })),
    arrows: arrows
      .filter(({ from }) => states.some(({ id }) => id === from))
      .map(({ from, to, line, tip }) => ({ from, to, line, tip })),
  }
}

if (import.meta.main) for (const [name, text] of await layouts()) await writeFile(new URL(name, folder), text)
