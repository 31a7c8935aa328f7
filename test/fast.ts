// `npm run test:fast [-- options of tap]`: every test file except those of the table below, in about 3 minutes on two cores. `npm test`
// runs them all.
import { spawn } from 'node:child_process'
import { globSync } from 'node:fs'
import { delimiter, join } from 'node:path'

/** Patterns of slow test files, each with its reason; every other test file is fast. A pattern that matches no file ends the run. */
const slow: Record<string, string> = {
  'test/dashboard/*.test.ts': 'opens a browser',
  'test/simulation/**': 'runs seeded simulations for minutes',
  'test/fuzz/**': 'sends thousands of generated requests',
  'test/integration/**': 'runs whole installations',
  'test/infra/{apply,cli,data,manifests}/**': 'starts the program, once for most tests',
  'test/infra/{start,nats-server}.test.ts': 'starts the program, once for most tests',
  'test/bus/nats-cluster.test.ts': 'runs three nats-servers and ends them one by one',
  'test/directory/door.test.ts': 'starts nats-servers and programs',
  'test/prober/elsewhere.test.ts': 'starts nats-servers and probers in processes of their own',
  'test/store/sqlite-loss.test.ts': 'kills processes in the middle of a write',
  'test/store/store.test.ts': 'starts MongoDB, and fills the memory of a process',
  'test/{bus/bus,notifier/faults}.test.ts': 'stops and starts a nats-server',
  'test/keeper/custom.test.ts': 'runs weeks of custom subjects',
  'test/{conformance/property,directory/incidents,directory/resource-lists,keeper/generated,keeper/resources/preview}.test.ts':
    'compares thousands of generated cases with a plain computation',
  'test/tidy/**': 'is part of `npm run check`',
}

const root = join(import.meta.dirname, '..')
const files = (pattern: string) => globSync(pattern, { cwd: root }).filter(path => path.endsWith('.test.ts'))
for (const pattern of Object.keys(slow)) if (files(pattern).length === 0) throw new Error(`${pattern} names no test file.`)

const leftOut = new Set(Object.keys(slow).flatMap(files))
const chosen = files('test/**').filter(path => !leftOut.has(path))
process.stdout.write(`${chosen.length} of ${chosen.length + leftOut.size} test files; npm test runs them all\n`)
const path = `${join(root, 'node_modules', '.bin')}${delimiter}${process.env['PATH'] ?? ''}`
const tap = spawn('tap', [...process.argv.slice(2), ...chosen.toSorted()], {
  cwd: root,
  env: { ...process.env, PATH: path },
  stdio: 'inherit',
})
tap.on('close', code => {
  process.exitCode = code ?? 1
})
