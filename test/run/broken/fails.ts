// A failing test beside a skipped one, for run.test.ts. Leaves a changed environment.
import t from 'tap'

process.env['LEFT_BY_A_FILE'] = 'yes'
t.test('fails', async t => t.equal(1, 2, 'one is two'))
t.test('is skipped', { skip: 'not today' }, () => {})
