// A monitor from its creation by REST to its recovery, on real NATS, HTTP and SQLite, with a restart in every state.
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { subjects } from '#shared/bus/subjects.ts'
import type { WebsiteView } from '#shared/contracts/subjects/subject-views.ts'
import { randomId } from '#shared/text/ids.ts'
import { startTestBus } from '../support/bus/nats.ts'
import { createClient, type Program, startOutside, startProgram, watchStates } from './system.ts'

interface IncidentBody {
  id: string
  status: string
  trouble_since: string
  confirmed_at: string | null
  well_since: string | null
  locations: Record<string, string[]>
}

const holdMs = 1_500

t.test('website goes down and recovers', { timeout: 400_000 }, async t => {
  for (const restartIn of ['nothing', 'pending', 'problem', 'recovering'] as const) {
    t.test(`website goes down and recovers, while the program restarts in the state ${restartIn}`, async t => {
      const stage = await setStage(t)
      const restart = async (state: typeof restartIn) => {
        if (state === restartIn) await stage.restart()
      }
      const { outside, watcher } = stage
      outside.setUp(false)
      const monitor = await stage.createMonitor()
      const opened = await watcher.transition('pending')
      await stage.checkEverySecond(monitor.id)
      t.match(await stage.incidents(), [
        { status: 'pending', confirmed_at: null, locations: { failing: ['local'], unknown: [], ok: [] } },
      ])
      await restart('pending')
      const confirmed = await watcher.transition('problem')
      t.equal(confirmed.at, opened.at + holdMs, 'confirmed at the exact end of the hold')
      const [problem] = await outside.webhookCount(1)
      t.equal(problem?.title, 'site is down')
      t.match(await stage.incidents(), [{ status: 'problem' }])
      await restart('problem')
      outside.setUp(true)
      const well = await watcher.transition('recovering')
      await restart('recovering')
      const closed = await watcher.transition('closed')
      t.equal(closed.incident.closedAt, well.at, 'closed_at is well_since')
      t.equal(closed.incident.troubleSince, opened.at)
      await outside.webhookCount(2)
      t.strictSame(
        outside.webhooks.map(webhook => webhook.title),
        ['site is down', 'site is back up'],
        'one message each',
      )
      t.equal(new Set(outside.webhooks.map(webhook => webhook.key)).size, 2, 'each under a key of its own')
      t.strictSame(await stage.incidents(), [])
    })
  }
})

t.test('acknowledged data survive kill -9, and deleted data stay deleted', { timeout: 400_000 }, async t => {
  const stage = await setStage(t)
  const kept = await stage.createMonitor()
  const gone = await stage.createMonitor('gone')
  await stage.client().delete(`/v2/monitoring/websites/${gone.id}`)
  await stage.killAndStart()
  const listed = await stage.client().get<{ id: string }[]>(`/v2/monitoring/websites?workspace_id=${stage.workspaceId}`)
  t.strictSame(
    listed.map(website => website.id),
    [kept.id],
  )
  t.match(await stage.client().get('/v2/notifications/destinations'), [{ name: 'hook', default: true }])
})

/** The program on a bus that outlives it, with a website, a webhook and one key. */
async function setStage(t: typeof import('tap').default | import('tap').Test) {
  const dataFolder = await mkdtemp(join(tmpdir(), 'watchkeeper-flow-'))
  const testBus = await startTestBus()
  const outside = await startOutside()
  const settings = {
    DATA_DIR: dataFolder,
    NATS_URL: testBus.url,
    NATS_TOKEN: testBus.token,
    WEBSITE_CONFIRM_AFTER: `${holdMs}ms`,
    WEBSITE_CLOSE_AFTER: `${holdMs}ms`,
  }
  let program: Program = await startProgram(settings)
  const watcher = await watchStates(testBus.url, testBus.token)
  t.teardown(async () => {
    await watcher.close()
    await program.stop()
    await outside.close()
    await testBus.stop()
    await rm(dataFolder, { recursive: true, force: true })
  })
  const key = (await readFile(join(dataFolder, 'first-key'), 'utf8')).trim()
  const client = () => createClient(/listens on (\S+?);/.exec(program.output())?.[1] ?? '', key)
  const [workspace] = await client().get<{ id: string }[]>('/v2/workspaces')
  const workspaceId = workspace?.id ?? ''
  await client().post('/v2/notifications/destinations', {
    workspace_id: workspaceId,
    name: 'hook',
    destination_type: 'webhook',
    url: outside.hookUrl,
  })
  return {
    outside,
    watcher,
    workspaceId,
    client,
    createMonitor: (name = 'site') =>
      client().post<{ id: string }>('/v2/monitoring/websites', {
        workspace_id: workspaceId,
        name,
        interval: 60,
        request: { url: outside.url, method: 'GET' },
        response: { statuses: [200] },
        locations: ['local'],
      }),
    incidents: () => client().get<IncidentBody[]>(`/v2/incidents?workspace_id=${workspaceId}`),
    /** Sets a shorter interval than the API allows, by a command on the bus. */
    checkEverySecond: async (subjectId: string) => {
      const { check, name } = await watcher.bus
        .request(subjects.ask('get-subject'), { subjectId }, { timeoutMs: 4_000 })
        .then(reply => (reply as { result: WebsiteView }).result)
      const { confirm_after: _, recover_after: __, ...kept } = check
      const faster = { ...kept, interval_value: 1, interval_unit: 'SECOND', failure_mode: null }
      const command = { kind: 'update-website', id: randomId(10), name, check: faster }
      await watcher.bus.request(subjects.command(subjectId), command, { timeoutMs: 4_000 })
    },
    restart: async () => {
      t.equal(await program.stop(), 0, 'ends with grace')
      program = await startProgram(settings)
    },
    killAndStart: async () => {
      await program.kill()
      program = await startProgram(settings)
    },
  }
}
