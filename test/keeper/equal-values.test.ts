// Sharing of equal values between documents: it changes no value.
import t from 'tap'
import { shareEqualValues } from '../../services/keeper/loading/equal-values.ts'

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
    shareEqualValues(document, like)
    t.strictSame({ document, like }, before)
  })
}

t.test('equal texts and objects are taken from the other document, at every depth', async t => {
  const like = { a: 'x', c: { d: { e: ['z', 1] }, f: 1 }, g: ['v', 'w'], h: {} }
  const document = { a: 'x', b: 'y', c: { d: { e: ['z', 1] }, f: 2 }, g: ['v', 'w'], h: {} }
  t.notOk(shareEqualValues(document, like))
  t.equal(document.g, like.g)
  t.equal(document.h, like.h)
  t.not(document.c, like.c, 'one of its members differs')
  t.equal(document.c.d, like.c.d)
  t.ok(shareEqualValues(structuredClone(like), like))
  const unlike: [object, object][] = [
    [{ a: undefined }, { b: 1 }],
    [[], {}],
    [{ toString: 1 }, { a: 1 }],
    [['x'], ['x', 'y']],
  ]
  for (const [one, other] of unlike) t.notOk(shareEqualValues(one, other), JSON.stringify([one, other]))
})
