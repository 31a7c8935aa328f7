// Delays of website monitors: the API shows those in force, and stores and exports those that were named. Reference: docs/reference/v3.md,
// 6.9.
import t from 'tap'
import { minute } from '#shared/limits/limits.ts'
import { readObjects } from '../../../services/gateway/configuration/document.ts'
import { exportFiles } from '../../../services/gateway/configuration/export-files.ts'
import { plan } from '../../../services/gateway/configuration/plan.ts'
import type { Present } from '../../../services/gateway/configuration/present.ts'
import { readWanted } from '../../../services/gateway/configuration/wanted.ts'
import { startWholeWorld, type WholeWorld } from '../../support/worlds/whole-world.ts'

let world: WholeWorld
let token: string
t.before(async () => {
  world = await startWholeWorld({ confirmAfterMs: 5 * minute, closeAfterMs: minute })
  await world.addLocations(['berlin'])
  token = (await world.addPerson('olga', { w1: 'owner' })).token
  await make('follows', {})
  await make('named', { confirm_after: 300, recover_after: 120 })
})
t.teardown(() => world.stop())

const resources = '/api/v3/workspaces/w1/resources'
const call = async (method: string, path: string, body?: object) => {
  const { status, json } = await world.call(method, path, { token, ...(body === undefined ? {} : { body }) })
  if (status >= 300) throw new Error(`${method} ${path}: ${status} ${JSON.stringify(json.error)}`)
  return json.result
}
const make = (key: string, delays: object) =>
  call('POST', resources, {
    ...{ template: 'website-check@1', key, name: key },
    meta: { url: 'https://shop.example/', locations: ['aaaa'], interval_value: 1, ...delays },
  })
const delaysOf = ({ meta }: { meta: Record<string, unknown> }) => [meta['confirm_after'], meta['recover_after']]

t.test('delay in force is shown, and the named delays can be told from the others (v3 6.9)', async t => {
  for (const path of [`${resources}/follows`, `${resources}/named`]) {
    const isNamed = path.endsWith('named')
    t.strictSame(delaysOf(await call('GET', path)), isNamed ? [300, 120] : [300, 60])
    t.strictSame(delaysOf(await call('GET', `${path}?answers=named`)), isNamed ? [300, 120] : [undefined, undefined])
  }
  const listed = await call('GET', resources)
  t.strictSame(listed.map(delaysOf).sort(), [
    [300, 120],
    [300, 60],
  ])
  const { status, json } = await world.call('GET', `${resources}?answers=all`, { token })
  t.match({ status, json }, { status: 422, json: { error: { details: { field: 'answers' } } } })
})

t.test(
  'export names the delays that were named, also one that equals a default, and importing changes nothing (v3 6.9)',
  async t => {
    const found = await call('GET', `${resources}?state=all&answers=named`)
    const present: Present = {
      ...{ locations: [{ id: 'aaaa', name: 'berlin' }], destinations: [], templates: [], resources: found, classic: null },
    }
    const { files } = exportFiles(present)
    const text = files.find(({ path }) => path === 'monitors.yaml')?.text ?? ''
    const [follows, named] = text.split('---\n') as [string, string]
    t.notMatch(follows, /confirm_after|recover_after/)
    t.match(named, /confirm_after: 300\n {2}recover_after: 120/)
    const steps = plan(readWanted(readObjects('monitors.yaml', text)), present, {
      workspace: 'w1',
      prune: false,
      environment: {},
    })
    t.strictSame(
      steps.map(({ verb }) => verb),
      ['left', 'left'],
    )
  },
)

t.test('delay sent as null follows the setting again, and a delay that is not sent stays as it is (v3 6.3, 6.9)', async t => {
  await call('PATCH', `${resources}/named`, { meta: { confirm_after: null } })
  t.strictSame(delaysOf(await call('GET', `${resources}/named`)), [300, 120])
  t.strictSame(delaysOf(await call('GET', `${resources}/named?answers=named`)), [undefined, 120])
  await call('PATCH', `${resources}/follows`, { meta: { recover_after: 60, expected_text: 'ok' } })
  t.strictSame(
    delaysOf(await call('GET', `${resources}/follows?answers=named`)),
    [undefined, 60],
    'equal to the setting, and named',
  )
})
