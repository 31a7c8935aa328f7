// Templates of generation 3: duration of a publication, and of a rebind of 1,000 Resources. The client lists the Resources page by page and
// rebinds them one by one.

import { anyProblem, resourceManifest, seedResources, signalKeys } from '../fleets/resource-fleet.ts'
import { homeOf } from '../fleets/seed.ts'
import { createHttpClient, type HttpClient } from '../run/http-client.ts'
import { type PartResult, quantity, type Run } from '../run/run-context.ts'
import { type Summary, summarize } from '../run/statistics.ts'
import type { System } from '../run/system.ts'
import { runAtOnce } from '../run/waiting.ts'

const signals = signalKeys(5)
const rebindsAtOnce = 20
const warmUp = 20

export async function v3Templates(run: Run): Promise<PartResult> {
  const resources = run.options.quick ? 100 : 1_000
  const { published, rebounds } = await run.withSystem(system => measure(run, system, resources))
  const lower = { better: 'lower' } as const
  const slowest = Math.max(...rebounds.map(({ ms }) => ms))
  const name = `${resources.toLocaleString('en')} Resources bound to another revision, ${rebindsAtOnce} requests at once, slowest of ${rebounds.length}`
  return {
    quantities: [
      quantity('v3-templates', 'publication of a Template, median', 'ms', published.p50, { ...lower, budget: 20 }),
      quantity('v3-templates', name, 's', slowest / 1_000, { ...lower, budget: 5 }),
    ],
    details: [
      {
        title: 'Publications',
        rows: [{ count: published.count, 'p50 ms': published.p50.toFixed(1), 'p99 ms': published.p99.toFixed(1) }],
      },
      {
        title: 'Rebinds',
        rows: rebounds.map(({ ms, one }) => ({
          'all ms': Math.round(ms),
          'one p50 ms': one.p50.toFixed(1),
          'p99 ms': one.p99.toFixed(1),
        })),
      },
    ],
  }
}

interface Rebound {
  ms: number
  one: Summary
}

async function measure(run: Run, system: System, resources: number): Promise<{ published: Summary; rebounds: Rebound[] }> {
  await system.start()
  const connection = await system.connect()
  const client = createHttpClient(system.url, await system.key(), rebindsAtOnce)
  try {
    const { workspaceId } = await homeOf(connection, system.url, await system.key())
    const workspace = `/api/v3/workspaces/${workspaceId}`
    run.say('v3-templates: publications')
    const times: number[] = []
    const publish = async (key: string, version: number) => {
      const manifest = resourceManifest({ key, version, signals, rules: [anyProblem(signals)] })
      return (await client.call('POST', `${workspace}/templates`, manifest)).ms
    }
    for (let version = 1; version <= warmUp + (run.options.quick ? 30 : 200); version++) {
      const ms = await publish('published', version)
      if (version > warmUp) times.push(ms)
    }
    run.say(`v3-templates: rebinds of ${resources} Resources`)
    await seedResources(connection, { workspaceId, template: 'bound', resources, signals: signals.length })
    const rebounds: Rebound[] = []
    for (const version of [2, 3, 4]) {
      await publish('bound', version)
      rebounds.push(await rebindAll(client, workspace, version, resources))
    }
    return { published: summarize(times), rebounds }
  } finally {
    await client.close()
    await connection.close()
  }
}

/** Rebinds all Resources of the previous version. Reads all pages first, because a list by revision changes during the rebind. */
async function rebindAll(client: HttpClient, workspace: string, version: number, expected: number): Promise<Rebound> {
  const startedAt = performance.now()
  const ids: string[] = []
  for (let cursor = ''; ; ) {
    const query = `template=bound@${version - 1}&limit=200${cursor}`
    const { result, meta } = await client.call('GET', `${workspace}/resources?${query}`)
    ids.push(...(result as { id: string }[]).map(({ id }) => id))
    const next = (meta as { next_cursor: string | null }).next_cursor
    if (next === null) break
    cursor = `&cursor=${next}`
  }
  if (ids.length !== expected) throw new Error(`${ids.length} of ${expected} Resources were listed.`)
  const times: number[] = []
  await runAtOnce(ids.length, rebindsAtOnce, async index => {
    const { ms } = await client.call('POST', `${workspace}/resources/${ids[index]}/rebind`, { template: `bound@${version}` })
    times.push(ms)
  })
  return { ms: performance.now() - startedAt, one: summarize(times) }
}
