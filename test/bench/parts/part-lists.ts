// Lists: those after a long time (part-lists-aged.ts), and pages of 50 among 10,000 Resources of one Template, with filters that match many Resources, few or none.
import type { CommandOf } from '#shared/contracts/subjects/command.ts'
import { idLength, randomId } from '#shared/text/ids.ts'
import { homeOf, patiently } from '../fleets/seed.ts'
import type { Connection } from '../run/connection.ts'
import { createHttpClient, type HttpClient } from '../run/http-client.ts'
import { type PartResult, quantity, type Run } from '../run/run-context.ts'
import { type Summary, summarize } from '../run/statistics.ts'
import type { System } from '../run/system.ts'
import { runAtOnce } from '../run/waiting.ts'
import { agedLists } from './part-lists-aged.ts'

const commandsAtOnce = 100
const warmUp = 20
/** Budget of a list of Resources under any filter, ms. */
const budgetMs = 10

const signals = ['probe_a', 'probe_b', 'load', 'queue', 'beat']
const manifest = {
  key: 'bench-host',
  version: 1,
  name: 'Host',
  fields: [
    ...['half', 'other_half', 'hundredth', 'few', 'own'].map(key => ({ key, type: 'integer', required: true })),
    ...['a', 'b', 'c', 'd', 'e'].map(key => ({ key, type: 'string', default: 'same' })),
  ],
  signals: signals.map(key => ({ key, kind: 'heartbeat', every_seconds: 3_600 })),
  rules: signals.slice(0, 3).map(signal => ({
    key: `${signal}-failing`,
    action: 'Look at the host.',
    wait: { confirm_after: 0, recover_after: 0 },
    decision: { signal, field: 'status', operator: 'eq', operand: 'problem' },
  })),
}

const answersOf = (i: number) => ({ half: i % 2, other_half: (i >> 1) % 2, hundredth: i % 100, few: i % 2_000, own: i })
const labelsOf = (i: number) => ({ env: i % 10 === 0 ? 'test' : 'production' })

/** Lists by the number of Resources that they match, as paths below the workspace. */
const lists: readonly [title: string, query: string][] = [
  ['active ones', ''],
  ['all states', '?state=all'],
  ['none: no archived ones', '?state=archived'],
  ['one Template', '?template=bench-host'],
  ['half', '?template=bench-host&meta.half=1'],
  ['a quarter, by two halves', '?template=bench-host&meta.half=1&meta.other_half=0'],
  ['a tenth, by label', '?label.env=test'],
  ['a hundredth', '?template=bench-host&meta.hundredth=7'],
  ['five', '?template=bench-host&meta.few=7'],
  ['one', '?template=bench-host&meta.own=7'],
  ['none: a half and a tenth without common ones', '?template=bench-host&meta.half=1&label.env=test'],
  [
    'most, by seven filters',
    '?template=bench-host@1&meta.a=same&meta.b=same&meta.c=same&meta.d=same&meta.e=same&label.env=production',
  ],
]

export async function listed(run: Run): Promise<PartResult> {
  const resources = run.options.quick ? 1_000 : 10_000
  const aged = await agedLists(run)
  const found = await run.withSystem(system => measure(run, system, resources))
  const slowest = Math.max(...found.map(({ ms }) => ms.p50))
  const name = `page of 50 of ${resources.toLocaleString('en')} Resources, median behind the slowest filter`
  return {
    quantities: [quantity('lists', name, 'ms', slowest, { better: 'lower', budget: budgetMs }), ...aged.quantities],
    details: [{ title: 'Pages of 50 behind filters', rows: found.map(rowOf) }, ...aged.details],
  }
}

interface Found {
  title: string
  items: number
  ms: Summary
}

const rowOf = ({ title, items, ms }: Found) => ({
  filter: title,
  items,
  'p50 ms': ms.p50.toFixed(2),
  'p95 ms': ms.p95.toFixed(2),
})

async function measure(run: Run, system: System, resources: number): Promise<Found[]> {
  await system.start()
  const connection = await system.connect()
  const client = createHttpClient(system.url, await system.key(), 1)
  try {
    const { workspaceId } = await homeOf(connection, system.url, await system.key())
    run.say(`lists: ${resources} Resources`)
    await makeResources(connection, workspaceId, resources)
    const found: Found[] = []
    for (const [title, query] of lists) {
      run.say(`lists: ${title}`)
      found.push({ title, ...(await ask(client, `/api/v3/workspaces/${workspaceId}/resources${query}`, run.options.quick)) })
    }
    return found
  } finally {
    await client.close()
    await connection.close()
  }
}

async function makeResources({ directory, keeper }: Connection, workspaceId: string, resources: number): Promise<void> {
  await directory.ask('publish-template', { workspaceId, manifest })
  await runAtOnce(resources, commandsAtOnce, async i => {
    const command: CommandOf<'create-resource'> = {
      kind: 'create-resource',
      id: randomId(16),
      workspaceId,
      slug: `host-${i}`,
      name: `Host ${i}`,
      template: 'bench-host@1',
      answers: answersOf(i),
      labels: labelsOf(i),
    }
    await patiently(() => keeper.send(randomId(idLength.subject), command))
  })
}

/** Requests the first page of the list repeatedly, one request after the other. */
async function ask(client: HttpClient, path: string, isQuick: boolean): Promise<Omit<Found, 'title'>> {
  const times: number[] = []
  let items = 0
  for (let i = -warmUp; i < (isQuick ? 50 : 300); i++) {
    const { ms, result } = await client.call('GET', path)
    items = (result as unknown[]).length
    if (i >= 0) times.push(ms)
  }
  return { items, ms: summarize(times) }
}
