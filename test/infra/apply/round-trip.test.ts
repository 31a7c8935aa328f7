// Configuration as files against a real installation: apply, export, and apply of the export, for random configurations.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import fc from 'fast-check'
import t, { type Test } from 'tap'
import { stringify } from 'yaml'
import { type Api, withApiAt } from '../../../infra/cli/api/with-api.ts'
import { readFolder } from '../../../infra/cli/configuration/read-folder.ts'
import { exportFiles, inOneFile } from '../../../services/gateway/configuration/export-files.ts'
import { FileFault } from '../../../services/gateway/configuration/file-fault.ts'
import { variableName } from '../../../services/gateway/configuration/kept-values.ts'
import { plan } from '../../../services/gateway/configuration/plan.ts'
import { readPresent } from '../../../services/gateway/configuration/present.ts'
import { runSteps } from '../../../services/gateway/configuration/run-steps.ts'
import { readWanted } from '../../../services/gateway/configuration/wanted.ts'
import { startProgram } from '../../integration/system.ts'
import { temporaryFolder } from '../run-program.ts'
import { configurations } from './configurations.ts'

const folder = temporaryFolder(t)
const program = await startProgram({ DATA_DIR: join(folder, 'data') })
t.teardown(() => program.stop())
const { url } = JSON.parse(readFileSync(join(folder, 'data', 'api.json'), 'utf8')) as { url: string }
const key = readFileSync(join(folder, 'data', 'first-key'), 'utf8').trim()
let folders = 0
let workspaces = 0

/** Values that an export leaves out, by the variables that stand for them. */
const leftOut = new Map<string, string>()

/** Environment with a URL for every destination, and with the values of `leftOut`. */
const environment = new Proxy({} as Record<string, string>, {
  get: (_, name) =>
    leftOut.get(String(name)) ?? (/^WATCHKEEPER_DESTINATION_/.test(String(name)) ? 'https://hooks.example.com/x' : undefined),
})

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

function written(files: readonly { path: string; text: string }[]): string {
  const place = join(folder, `files-${++folders}`)
  for (const { path, text } of files) {
    mkdirSync(dirname(join(place, path)), { recursive: true })
    writeFileSync(join(place, path), text)
  }
  return place
}

/** Applies the files of a folder; returns the steps that changed an object. */
async function apply(api: Api, workspace: string, place: string): Promise<string[]> {
  const wanted = readWanted(await readFolder(place))
  const clients = { api, workspace }
  const present = await readPresent(clients, { withClassic: true, tablesOf: null })
  const steps = plan(wanted, present, { workspace, prune: true, environment })
  await runSteps(steps, { clients, present, onDone: () => {} })
  return steps.flatMap(({ verb, kind, name, what }) => (verb === 'left' ? [] : [`${verb} ${kind} ${name} ${what}`]))
}

const exported = async (api: Api, workspace: string) =>
  exportFiles(await readPresent({ api, workspace }, { withClassic: true, tablesOf: null })).files

/** Replaces the configuration of a workspace. Fails unless the new configuration is wholly refused or wholly present afterwards. */
async function replaced(t: Test, api: Api, workspace: string, objects: readonly object[]): Promise<void> {
  if (objects.length === 0) return
  const text = JSON.stringify(objects)
  const place = written([{ path: 'next.json', text }])
  const before = await exported(api, workspace)
  try {
    await apply(api, workspace, place)
  } catch (error) {
    if (!(error instanceof FileFault)) throw error
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
      const source = written([{ path: asJson ? 'all.json' : 'all.yml', text }])
      const [one, other] = [await newWorkspace(api), await newWorkspace(api)]
      await apply(api, one, source)
      t.strictSame(await apply(api, one, source), [], text)
      const files = await exported(api, one)
      const copy = written(files)
      t.strictSame(await apply(api, one, copy), [], text)
      const inOne = written([{ path: 'all.yaml', text: inOneFile(files) }])
      t.strictSame(await apply(api, one, inOne), [], 'one file says the same')
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
    const given = (...objects: object[]) => written([{ path: 'all.json', text: JSON.stringify(objects) }])
    await apply(api, one, given({ kind: 'Destination', name: 'Ops', type: 'slack' }, file(undefined)))
    await apply(api, one, given(file(undefined)))
    const files = await exported(api, one)
    t.match(files, [{ path: 'destinations.yaml', text: /name: Pager\ntype: webhook\ndefault: false\n$/ }])
    const copy = written(files)
    t.strictSame(await apply(api, one, copy), [])
    t.strictSame(await apply(api, other, copy), ['made Destination Pager not the default'])
    t.strictSame(await exported(api, other), files)
    t.strictSame(await apply(api, other, given(file(true))), ['changed Destination Pager default'])
    t.strictSame(await apply(api, other, copy), ['changed Destination Pager default'])
    t.strictSame(await exported(api, other), files)
  }),
)
