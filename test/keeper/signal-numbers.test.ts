// Ordered numbers of a signal, compared with a plain list that is filtered and sorted each time.
import fc from 'fast-check'
import t from 'tap'
import { pushedObservationId } from '#shared/text/ids.ts'
import { SignalNumbers } from '../../services/keeper/step/judging/signal-numbers.ts'

interface Row {
  atUs: number
  label: string
  value: number | null
}

const rowIdOf = ({ atUs, label }: Row) => pushedObservationId('subject', 's1', { label }, atUs)

const rows = fc.array(
  fc.record({
    atUs: fc.integer({ min: -3, max: 12 }),
    label: fc.constantFrom('a', 'b', 'c'),
    value: fc.option(fc.integer({ min: 0, max: 5 })),
  }),
  { maxLength: 30 },
)

function naive(known: Iterable<Row>, fromUs: number, toUs: number): number[] {
  const inside = [...known].filter(({ atUs, value }) => value !== null && atUs >= fromUs && atUs < toUs)
  return inside.map(({ value }) => value as number).sort()
}

t.test('numbers of a period are those of the rows in it, each as it was last recorded', async t => {
  fc.assert(
    fc.property(rows, fc.integer({ min: -4, max: 13 }), fc.integer({ min: -4, max: 13 }), (noted, fromUs, toUs) => {
      const known = new Map<string, Row>()
      let numbers = new SignalNumbers()
      for (const [i, row] of noted.entries()) {
        const id = rowIdOf(row)
        if (i % 7 === 3) numbers = numbers.copy()
        numbers.note(id, known.get(id)?.value ?? null, row.value)
        known.set(id, row)
      }
      t.strictSame([...numbers.between(fromUs, toUs, 100)].sort(), naive(known.values(), fromUs, toUs))
    }),
  )
})

t.test('copy of numbers does not change with its original', async t => {
  const numbers = new SignalNumbers(Float64Array.of(1, 2), Float64Array.of(10, 20))
  const copy = numbers.copy()
  copy.note(rowIdOf({ atUs: 2, label: 'a', value: null }), 20, 21)
  t.strictSame([...numbers.between(0, 9, 100)], [10, 20])
  t.strictSame([...copy.between(0, 9, 100)], [10, 21])
})

t.test('only the newest numbers are kept when there are too many', async t => {
  const numbers = new SignalNumbers(Float64Array.of(1, 2, 3, 4), Float64Array.of(10, 20, 30, 40))
  t.strictSame([...numbers.between(1, 4, 2)], [20, 30])
  t.strictSame([...numbers.between(2, 4, 2)], [20, 30])
})
