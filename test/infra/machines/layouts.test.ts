// Drawings of the machines: the stored layouts fit the present machines, are complete, and are legible.
import { readFile } from 'node:fs/promises'
import t from 'tap'
import { machines } from '#machines/drawings.ts'
import type { MachineLayout } from '#shared/contracts/session/machine-layout.ts'
import { graphOf } from '../../../infra/machines/graph.ts'
import { layouts } from '../../../infra/machines/write-layouts.ts'

const folder = new URL('../../../services/dashboard/machines/', import.meta.url)
const made = await layouts()

t.test('stored layout equals the output of `npm run layouts`', async t => {
  for (const [name, text] of made) t.equal(await readFile(new URL(name, folder), 'utf8'), text, `${name}: run npm run layouts`)
})

const layoutsOf = (machine: string) =>
  [...made].filter(([name]) => name.startsWith(`${machine}-`)).map(([, text]) => JSON.parse(text) as MachineLayout)

for (const [name, machine] of Object.entries(machines)) {
  t.test(`drawing of ${name} has each state, and one arrow for each pair of states with a transition`, async t => {
    const { states, arrows } = graphOf(machine)
    for (const layout of layoutsOf(name)) {
      t.same(
        layout.states.map(({ id }) => id),
        states.map(({ id }) => id),
      )
      t.same(
        layout.arrows.map(({ id, label }) => [id, label.events]),
        arrows.map(({ id, events }) => [id, events]),
      )
    }
    const targets = Object.entries(machine.config.states ?? {}).flatMap(([from, { on = {} }]) =>
      Object.entries(on).flatMap(([event, ways]) =>
        [ways].flat().flatMap(way => {
          const to = typeof way === 'object' && way !== null && 'target' in way ? way.target : undefined
          return typeof to === 'string' && to !== from ? [`${from}->${to} ${event}`] : []
        }),
      ),
    )
    const drawn = new Set(arrows.flatMap(({ id, events }) => events.map(event => `${id} ${event}`)))
    t.same(
      [...new Set(targets)].filter(target => !drawn.has(target)),
      [],
    )
  })

  t.test(`drawing of ${name} has no overlapping state, label or frame`, async t => {
    for (const { states, arrows, frame, width, height } of layoutsOf(name)) {
      const areas = [
        ...states.map(state => ({ ...state, name: state.id })),
        ...arrows.map(({ id, label }) => ({ ...label, name: id })),
        ...(frame ? [{ ...frame, name: 'any open state' }] : []),
      ]
      for (const [i, a] of areas.entries()) {
        t.ok(a.x >= 0 && a.y >= 0 && a.x + a.width <= width && a.y + a.height <= height, `${a.name} lies inside`)
        for (const b of areas.slice(i + 1)) {
          const isApart = a.x + a.width <= b.x || b.x + b.width <= a.x || a.y + a.height <= b.y || b.y + b.height <= a.y
          t.ok(isApart, `${a.name} and ${b.name} lie apart`)
        }
      }
    }
  })
}

t.test('each state of each machine has a description', async t => {
  for (const [name, machine] of Object.entries(machines))
    t.same(
      graphOf(machine).states.filter(({ description }) => description === ''),
      [],
      name,
    )
})
