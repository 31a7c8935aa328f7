// Ends its process in the middle of a test, for run.test.ts.
import t from 'tap'

t.test('good', async t => t.ok(true))
t.test('ends its process', async () => process.exit(0))
