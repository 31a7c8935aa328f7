// Sees whether an earlier file has changed the environment, for run.test.ts.
import t from 'tap'

t.test('environment is as at the start', async t => t.equal(process.env['LEFT_BY_A_FILE'], undefined))
