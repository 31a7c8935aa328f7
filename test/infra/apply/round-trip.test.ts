// Configuration as files against a real installation: apply, export, and apply of the export, for random configurations.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import t, { type Test } from 'tap'
import { stringify } from 'yaml'
import { ApiRefusal } from '#shared/api-v3/errors.ts'
import type { AppliedConfiguration } from '#shared/contracts/session/configuration.ts'
import { type Api, withApiAt } from '../../../infra/cli/api/with-api.ts'
import { readObjects } from '../../../services/gateway/configuration/document.ts'
import { variableName } from '../../../services/gateway/configuration/kept-values.ts'
import { variableOf } from '../../../services/gateway/configuration/plan-destinations.ts'
import { startProgram } from '../../integration/system.ts'
import { temporaryFolder } from '../run-program.ts'
import { configurations } from './configurations.ts'

const folder = temporaryFolder(t)
const program = await startProgram({ DATA_DIR: join(folder, 'data') })
t.teardown(() => program.stop())
const { url } = JSON.parse(readFileSync(join(folder, 'data', 'api.json'), 'utf8')) as { url: string }
const key = readFileSync(join(folder, 'data', 'first-key'), 'utf8').trim()
let workspaces = 0

/** Values that an export leaves out, by the variables that stand for them. */
const leftOut = new Map<string, string>()

/** Notes the labels and addresses of the objects, of which an export may leave something out. */
function noteValues(objects: readonly object[]): void {
  for (const { kind, key = '', labels = {}, meta = {} } of objects as readonly Marked[]) {
    const object = kind === 'Subject' ? 'SUBJECT' : 'RESOURCE'
    for (const [name, value] of Object.entries(labels)) leftOut.set(variableName([object, key, 'LABEL', name]), value)
    if (meta.url !== undefined) leftOut.set(variableName([object, key, 'url']), meta.url)
  }
}

interface Marked {
  kind: string
  key?: string
  labels?: Record<string, string>
  meta?: { url?: string }
}

const newWorkspace = async (api: Api): Promise<string> =>
  (await api.send<{ id: string }>('POST', '/workspaces', { name: `Copy ${++workspaces}` })).id

type Files = Readonly<Record<string, string>>

/** Values by their variables: a URL for every destination, and the values that the files do not show. */
function valuesFor(files: Files): Record<string, string> {
  const objects = Object.entries(files).flatMap(([file, text]) => readObjects(file, text))
  const names = objects.flatMap(({ value }) => (value['kind'] === 'Destination' ? [String(value['name'])] : []))
  return {
    ...Object.fromEntries(names.map(name => [variableOf(name), 'https://hooks.example.com/x'])),
    ...Object.fromEntries(leftOut),
  }
}

/** Applies files; returns the steps that changed an object. */
async function apply(api: Api, workspace: string, files: Files): Promise<string[]> {
  const steps: AppliedConfiguration['steps'] = []
  let state: string
  do {
    const body = { files, prune: true, values: valuesFor(files) }
    const sent = await api.send<AppliedConfiguration>('POST', `/workspaces/${workspace}/configuration`, body)
    steps.push(...sent.steps)
    state = sent.state
  } while (state === 'unfinished')
  if (state !== 'applied') throw new Error(state)
  return steps.flatMap(({ result, kind, name, what }) => (result === 'left' ? [] : [`${result} ${kind} ${name} ${what}`]))
}

const exported = async (api: Api, workspace: string) =>
  (await api.read<{ files: Files }>(`/workspaces/${workspace}/configuration`)).files

/** Replaces the configuration of a workspace. Fails unless the new configuration is wholly refused or wholly present afterwards. */
async function replaced(t: Test, api: Api, workspace: string, objects: readonly object[]): Promise<void> {
  if (objects.length === 0) return
  const text = JSON.stringify(objects)
  const place = { 'next.json': text }
  const before = await exported(api, workspace)
  try {
    await apply(api, workspace, place)
  } catch (error) {
    if (!(error instanceof ApiRefusal) || error.status !== 422) throw error
    t.strictSame(await exported(api, workspace), before, text)
    return
  }
  t.strictSame(await apply(api, workspace, place), [], text)
}

t.test('export applied to an empty workspace gives an equal export, and a second run changes nothing', t =>
  withApiAt({ url, key, workspace: null, renew: null }, async api => {
    const property = fc.asyncProperty(configurations, configurations, fc.boolean(), async (objects, next, asJson) => {
      if (objects.length === 0) return
      noteValues(objects)
      const text = asJson ? JSON.stringify(objects) : objects.map(object => stringify(object)).join('---\n')
      const source = { [asJson ? 'all.json' : 'all.yml']: text }
      const [one, other] = [await newWorkspace(api), await newWorkspace(api)]
      await apply(api, one, source)
      t.strictSame(await apply(api, one, source), [], text)
      const files = await exported(api, one)
      const copy = files
      t.strictSame(await apply(api, one, copy), [], text)
      const { document } = await api.read<{ document: string }>(`/workspaces/${one}/configuration?form=document`)
      t.strictSame(await apply(api, one, { document }), [], 'one file says the same')
      await apply(api, other, copy)
      t.strictSame(await exported(api, other), files, text)
      t.strictSame(await apply(api, other, copy), [], text)
      await replaced(t, api, other, next)
    })
    await fc.assert(property, { numRuns: 20, endOnFailure: true })
  }),
)

t.test('copy of a workspace without a default destination has no default, and no run leaves a temporary destination', t =>
  withApiAt({ url, key, workspace: null, renew: null }, async api => {
    const [one, other] = [await newWorkspace(api), await newWorkspace(api)]
    const file = (isDefault: unknown) => ({ kind: 'Destination', name: 'Pager', type: 'webhook', default: isDefault })
    const given = (...objects: object[]) => ({ 'all.json': JSON.stringify(objects) })
    await apply(api, one, given({ kind: 'Destination', name: 'Ops', type: 'slack' }, file(undefined)))
    await apply(api, one, given(file(undefined)))
    const files = await exported(api, one)
    t.match(files, { 'destinations.yaml': /name: Pager\ntype: webhook\ndefault: false\n$/ })
    const copy = files
    t.strictSame(await apply(api, one, copy), [])
    t.strictSame(await apply(api, other, copy), ['made Destination Pager not the default'])
    t.strictSame(await exported(api, other), files)
    t.strictSame(await apply(api, other, given(file(true))), ['changed Destination Pager default'])
    t.strictSame(await apply(api, other, copy), ['changed Destination Pager default'])
    t.strictSame(await exported(api, other), files)
  }),
)
