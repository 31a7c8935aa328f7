// Waits for ever, for run.test.ts.
import t from 'tap'

t.test('hangs', () => new Promise(() => setInterval(() => {}, 1_000)))
