// Never returns to the event loop, for run.test.ts.
import t from 'tap'

t.test('loops', async () => {
  for (;;);
})
