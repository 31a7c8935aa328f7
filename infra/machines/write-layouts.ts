// `npm run layouts`: lays out every machine both horizontally and vertically, and writes the layouts that the dashboard draws. Also writes
// a small layout for open incidents.
import { writeFile } from 'node:fs/promises'
import { machines } from '#machines/drawings.ts'
import type { MachineLayout, SmallLayout } from '#shared/contracts/session/machine-layout.ts'
import { graphOf } from './graph.ts'
import { type Direction, layOut } from './lay-out.ts'

const folder = new URL('../../services/dashboard/machines/', import.meta.url)
const directions: readonly Direction[] = ['right', 'down']

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

/** Returns the layout for the first view of a monitor: without texts, and without arrows that start from all open states. */
function smallLayout({ width, height, states, arrows }: MachineLayout): SmallLayout {
  return {
    width,
    height,
    states: states.map(({ id, x, y, width, height }) => ({ id, x: Math.round(x), y, width, height })),
    arrows: arrows
      .filter(({ from }) => states.some(({ id }) => id === from))
      .map(({ from, to, ...drawn }) => ({ from, to, ...sharp(drawn) })),
  }
}

/** Returns the arrow with sharp corners and whole pixels, which halves the length of the SVG path. */
function sharp({ line, tip }: { line: string; tip: string }): { line: string; tip: string } {
  // The sharp corners are the control points of the curves. The last segment of the line leads into the tip.
  const points = [...line.matchAll(/(?:[MQ]|L(?=[^Q]*$))([\d.]+) ([\d.]+)/g)].map(([, x, y]) =>
    [Number(x), Number(y)].map(Math.round),
  )
  const steps = points.map(([x, y], i) => {
    const before = points[i - 1]
    if (before === undefined) return `M${x} ${y}`
    return `${x === before[0] ? '' : `H${x}`}${y === before[1] ? '' : `V${y}`}`
  })
  return { line: steps.join(''), tip: tip.replace(/[\d.]+/, x => String(Math.round(Number(x)))) }
}

if (import.meta.main) for (const [name, text] of await layouts()) await writeFile(new URL(name, folder), text)
