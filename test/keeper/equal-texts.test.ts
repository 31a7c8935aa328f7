// Sharing of equal texts between documents: it changes no value.
import t from 'tap'
import { shareEqualTexts } from '../../services/keeper/loading/equal-texts.ts'

const pairs: Record<string, [document: object, like: object]> = {
  'equal texts': [
    { a: 'x', b: { c: ['y', { d: 'z' }] } },
    { a: 'x', b: { c: ['y', { d: 'z' }] } },
  ],
  'other texts': [
    { a: 'x', b: ['y'] },
    { a: 'X', b: ['Y', 'Z'] },
  ],
  'members that one of both lacks': [
    { a: 'x', b: { c: 'y' } },
    { b: { d: 'y' }, e: 'x' },
  ],
  'other kinds of values': [
    { a: 'x', b: null, c: 1, d: ['x'], e: { f: 'x' }, g: true },
    { a: null, b: 'x', c: '1', d: 'x', e: ['x'], g: { h: 'x' } },
  ],
}

for (const [name, [document, like]] of Object.entries(pairs)) {
  t.test(`document keeps its values: ${name}`, async t => {
    const before = structuredClone({ document, like })
    shareEqualTexts(document, like)
    t.strictSame({ document, like }, before)
  })
}

t.test('only equal texts are taken from the other document, at every depth', async t => {
  const taken: unknown[] = []
  const watched = <T extends object>(document: T): T =>
    new Proxy(document, {
      set: (target, name, value) => {
        taken.push([name, value])
        return Reflect.set(target, name, value)
      },
    })
  const document = watched({ a: 'x', b: 'y', c: watched({ d: 'z' }), e: watched(['v', 'w']), f: 1 })
  shareEqualTexts(document, { a: 'x', b: 'Y', c: { d: 'z' }, e: ['V', 'w'], f: 1 })
  t.strictSame(taken, [
    ['a', 'x'],
    ['d', 'z'],
    ['1', 'w'],
  ])
})
