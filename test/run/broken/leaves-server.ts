// Leaves a server open, for run.test.ts.
import { createServer } from 'node:net'
import t from 'tap'

t.test('leaves a server', async () => void createServer().listen(0))
