// Types that openapi-typescript generates from the document of generation 3 fit requests that clients send. `npm run clients` does the same
// with a client in Python, and sends the examples.
import { execFile } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import t from 'tap'
import { v3Document } from '../../../services/gateway/openapi/v3-document.ts'
import { v3Routes } from '../../../services/gateway/v3/routes.ts'
import { version } from '../../support/worlds/api-world.ts'

const run = promisify(execFile)
const programs = join(import.meta.dirname, '../../../node_modules')

const client = `
import type { components, paths } from './v3.d.ts'
type Query = NonNullable<paths['/api/v3/workspaces/{workspace}/resources']['get']['parameters']['query']>
export const filters: Query = { template: 'website-check', state: 'active', meta: { 'meta.method': 'GET' }, label: { 'label.team': 'core' } }
type Report = paths['/in/{token}']['post']['requestBody']['content']['application/json']
export const report: Report = { resource: 'backup-1', signal: 'beat', state: 'ok', value: null, kind: null, labels: null }
type Decision = components['schemas']['DecisionNode']
const comparison = { signal: 'beat', field: 'status', operator: 'eq', operand: 'problem' } as const
export const decision: Decision = { any: [{ all: [comparison, { not: { signal: 'beat', field: 'known' } }] }, comparison] }
// @ts-expect-error: a node has the keys of one kind
export const mixed: Decision = { any: [comparison], not: comparison, both: true }
// @ts-expect-error: a required member is not null
export const nameless: Report = { resource: null, signal: 'beat', state: 'ok' }
type Success = paths['/api/v3/workspaces/{workspace}/resources']['post']['responses'][201]['content']['application/json']
export const keyOf = ({ result }: Success): string => result.key
`

t.test(
  'TypeScript client generated from the document of v3 has every operation, and its types fit what clients send',
  async t => {
    const folder = t.testdir({ 'v3.json': JSON.stringify(v3Document(version)), 'client.ts': client })
    const types = join(folder, 'v3.d.ts')
    await run(process.execPath, [join(programs, 'openapi-typescript/bin/cli.js'), join(folder, 'v3.json'), '--output', types])
    const generated = await readFile(types, 'utf8')
    t.equal(generated.match(/^ {8}(get|put|post|delete|patch): /gm)?.length, v3Routes.length + 1)
    await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(options))
    const { stdout } = await run(process.execPath, [join(programs, 'typescript/bin/tsc'), '-p', folder]).catch(error => error)
    t.equal(stdout, '')
  },
)

const options = {
  compilerOptions: {
    ...{ strict: true, noEmit: true, types: [], target: 'esnext', module: 'esnext', moduleResolution: 'bundler' },
    ...{ allowImportingTsExtensions: true, verbatimModuleSyntax: true, skipLibCheck: false },
  },
  files: ['client.ts', 'v3.d.ts'],
}
