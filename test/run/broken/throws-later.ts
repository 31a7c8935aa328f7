// Throws outside of a test's promise, for run.test.ts.
import t from 'tap'

t.test('waits while a callback throws', () => {
  setImmediate(() => {
    throw new Error('thrown in a callback')
  })
  return new Promise(() => {})
})
