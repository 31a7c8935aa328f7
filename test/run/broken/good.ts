// A good test file, for run.test.ts.
import t from 'tap'

t.test('good', async t => t.ok(true))
