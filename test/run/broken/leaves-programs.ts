// Starts programs, writes their ids to a file and does not return, for run.test.ts. `LEAVES_PROGRAMS` names the way, and the file.
import { spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import t from 'tap'

t.test('leaves programs', async () => {
  const [way = '', list = ''] = process.env['LEAVES_PROGRAMS']?.split(' ') ?? []
  // What leaves the process group is found as a descendant, while the lane lives.
  const groups = way === 'ends' ? ['same'] : ['same', 'own']
  const ids = groups.map(group => spawn('sleep', ['60'], { stdio: 'inherit', detached: group === 'own' }).pid)
  writeFileSync(list, ids.join(' '))
  if (way === 'ends') process.exit(0)
  if (way === 'loops') for (;;);
  await new Promise(() => setInterval(() => {}, 1_000))
})
