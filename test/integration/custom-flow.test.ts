// A custom subject in the whole program, from its creation to its recovery, with real NATS, SQLite, HTTP and a receiver. Covers kills of
// the program, maintenance, the delivery table of the subject, and replay from its records.
import { once } from 'node:events'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { WebSocket } from 'ws'
import { createLogger } from '#shared/observability/logger.ts'
import { openStore } from '#shared/store/open-store.ts'
import { eventually, runProgram, temporaryFolder } from '../infra/run-program.ts'
import { startTestBus } from '../support/bus/nats.ts'
import { createClient, type Program, startOutside, startProgram, type Webhook, watchStates } from './system.ts'

type Test = import('tap').Test

const holdMs = 1_500
const doomed = 'Doomed one'
const wait = { confirm_after: `${holdMs}ms`, close_after: `${holdMs}ms` }

interface IncidentBody {
  id: string
  rule_id: string
  status: string
  acknowledged: boolean
}

t.test('custom subjects are judged, notified and deleted by the whole program', { timeout: 400_000 }, async t => {
  const stage = await setStage(t)
  await t.test(
    'custom subject goes through alert, acknowledgement, recovery and replay while the program is killed repeatedly',
    t => liveThrough(t, stage),
  )
  await t.test('maintenance withholds the message about the problem, not the one about the recovery', t => maintain(t, stage))
  await t.test('delivery table of a subject limits its messages to the selected destinations and kinds', t =>
    tellOwnRows(t, stage),
  )
  await t.test('deletion of a workspace removes its subjects, and nobody is notified', t => deleteWorkspace(t, stage))
  await t.test('message withheld by maintenance is stored with its reason, and no delivery waits for it', t =>
    lookAtAlerts(t, stage),
  )
})

type Stage = Awaited<ReturnType<typeof setStage>>

/** Creates a subject `name` with a signal `queue` and a rule `stuck`, which reads the status of the signal. */
async function createSubject({ client, workspaceId }: Stage, name: string) {
  const subject = await client().post<{ id: string }>('/v2/subjects', { workspace_id: workspaceId, name })
  const path = `/v2/subjects/${subject.id}`
  await client().post(`${path}/signals`, { name: 'Queue', kind: 'event' })
  const inputs = [{ signal: 'queue', mode: 'status' }]
  await client().post(`${path}/rules`, { name: 'Stuck', document: { inputs, decision: { need: 'any' }, wait } })
  const report = (status: 'ok' | 'problem', more: object = {}) =>
    client().post<{ accepted: boolean }>(`${path}/signals/queue/observations`, { status, ...more })
  return { path, report, incidents: () => client().get<IncidentBody[]>(`${path}/incidents`) }
}

const titles = (webhooks: readonly Webhook[]) => webhooks.map(({ path, title }) => `${path} ${title}`)

async function liveThrough(t: Test, stage: Stage): Promise<void> {
  const { watcher, outside, client } = stage
  const { path, report, incidents } = await createSubject(stage, 'Payments')
  t.match(await report('problem', { error: 'stuck since noon', labels: { host: 'q1' } }), { accepted: true })
  const opened = await watcher.transition('pending')
  const [incident] = await incidents()
  t.match(incident, { status: 'pending', rule_id: 'stuck', acknowledged: false })
  await stage.killAndStart()

  const confirmed = await watcher.transition('problem')
  t.equal(confirmed.at, opened.at + holdMs, 'confirmed at the exact end of the hold')
  const [problem] = await outside.webhookCount(1)
  checkProblem(t, problem as Webhook, opened.incident.subjectId, incident?.id ?? '')
  const acknowledge = () => client().post<{ recorded: boolean }>(`${path}/incidents/${incident?.id}/acknowledge`, undefined)
  t.match(await acknowledge(), { recorded: true, incident_id: incident?.id, subject_id: 'payments', rule_id: 'stuck' })
  await stage.killAndStart()

  t.match(await incidents(), [{ id: incident?.id, status: 'problem', acknowledged: true }])
  t.match(await acknowledge(), { recorded: false })
  await report('ok')
  const well = await watcher.transition('recovering')
  const closed = await watcher.transition('closed')
  t.match(closed.incident, { closedAt: well.at, troubleSince: opened.at })
  await outside.webhookCount(2)
  t.strictSame(titles(outside.webhooks), ['/hook Payments is down', '/hook Payments is back up'], 'one message each')
  t.equal(new Set(outside.webhooks.map(webhook => webhook.key)).size, 2, 'each under a key of its own')
  t.match(outside.webhooks[1]?.body, {
    attachments: [{ color: '#2eb887' }],
    incident: { transition: 'closed', id: incident?.id },
  })
  t.strictSame(await incidents(), [])
  await replayAndDraw(t, stage, incident?.id ?? '')
}

/** Checks each line of the built-in body (reference/messages 5.1 to 5.3). */
function checkProblem(t: Test, { body, at }: Webhook, subjectId: string, incidentId: string): void {
  const [attachment] = body.attachments
  const { text, timestamp, ...rest } = attachment as unknown as Record<string, unknown>
  t.strictSame(rest, { author_name: 'Watchkeeper', title: 'Payments is down', color: '#d50201', footer: 'Watchkeeper' })
  const [error, lasted, rule, link, ...more] = String(text).split('\n')
  t.equal(error, '`stuck since noon`')
  t.match(lasted, /^Down for \d+s before we alerted\.$/)
  t.equal(rule, 'Payments: rule "Stuck": queue reports a problem')
  t.match(link, new RegExp(`^<https?://[^|]+/subjects/${subjectId}\\|View timeline>$`))
  t.strictSame(more, [])
  t.ok(Number.isInteger(timestamp) && Math.abs(Number(timestamp) * 1_000 - at) < 60_000, 'Unix seconds')
  t.match(body.incident, {
    id: incidentId,
    rule: 'stuck',
    transition: 'confirmed',
    resource: { key: 'payments', name: 'Payments', template: null },
  })
  t.notOk('channel' in body)
}

async function replayAndDraw(t: Test, stage: Stage, incidentId: string): Promise<void> {
  const replay = await runProgram(t, ['incident', 'replay', incidentId], stage.settings).ended
  t.equal(replay.code, 0, replay.stderr)
  const steps = [...replay.stdout.matchAll(/^ +\d+ {2}\S+ {2}(.+)$/gm)].map(([, kind]) => kind)
  t.strictSame(steps, ['pending', 'problem', 'acknowledged', 'recovering', 'closed'])
  for (const told of ['event     hold.elapsed', 'evidence  1 of 1 input failing', 'stuck since noon', 'state     recovering']) {
    t.ok(replay.stdout.includes(told), told)
  }
  t.match(replay.stdout, /5 records lead to the stored incident: ok/)
  await inspectRecords(t, stage, incidentId, steps.length)
  const folder = join(temporaryFolder(t), 'machines')
  const drawn = await runProgram(t, ['machines', '--out', folder]).ended
  t.equal(drawn.code, 0, drawn.stderr)
  const names = ['delivery', 'incident', 'maintenance']
  t.strictSame(
    (await readdir(folder)).toSorted(),
    names.flatMap(name => [`${name}.json`, `${name}.mmd`]),
  )
  t.match(await readFile(join(folder, 'incident.mmd'), 'utf8'), /^stateDiagram-v2/)
}

/** Checks that the inspection protocol returns the same records, and that a signal ends the command. */
async function inspectRecords(t: Test, stage: Stage, incidentId: string, records: number): Promise<void> {
  const program = runProgram(t, ['incident', 'inspect', incidentId], stage.settings)
  const [, url = ''] = await program.says(/^(ws:\S+)\n/)
  const socket = new WebSocket(url)
  const types: string[] = []
  socket.on('message', data => types.push(JSON.parse(String(data)).type))
  while (types.length < 1 + 2 * records) await once(socket, 'message')
  t.strictSame(types, ['@xstate.actor', ...Array.from({ length: records }, () => ['@xstate.event', '@xstate.snapshot']).flat()])
  program.child.kill('SIGINT')
  t.match(await program.ended, { code: 0, stdout: `${url}\n`, stderr: /Ctrl-C ends it/ })
}

async function maintain(t: Test, stage: Stage): Promise<void> {
  const { watcher, outside, client } = stage
  const { path, report, incidents } = await createSubject(stage, 'Held')
  const told = outside.webhooks.length
  const from = watcher.seen.length
  const ends_at = new Date(Date.now() + 3_600_000).toISOString()
  t.match(await client().post(`${path}/maintenance`, { ends_at }), { active: true, muted: ['problem', 'no_data'] })
  await report('problem')
  await watcher.transition('problem', from)
  t.match(await incidents(), [{ status: 'problem' }], 'monitoring goes on')
  await report('ok')
  await watcher.transition('closed', from)
  await outside.webhookCount(told + 1)
  t.strictSame(titles(outside.webhooks.slice(told)), ['/hook Held is back up'], 'the recovery alone, and it waits for nothing')
  t.match(await client().delete(`${path}/maintenance`), { active: false })
  t.equal(await client().get(`${path}/maintenance`), null)
}

async function tellOwnRows(t: Test, stage: Stage): Promise<void> {
  const { watcher, outside, client } = stage
  const { path, report } = await createSubject(stage, 'Own rows')
  const [pager, chat] = await Promise.all([stage.addDestination('pager'), stage.addDestination('chat')])
  const selections = [
    { destination_id: pager, alert_kinds: ['problem', 'no_data'] },
    { destination_id: chat, alert_kinds: ['recovery'] },
  ]
  t.match(await client().post(`${path}/delivery`, { selections }), { subject_id: 'own-rows', fallback: '', selections })
  const told = outside.webhooks.length
  const from = watcher.seen.length
  await report('problem')
  await watcher.transition('problem', from)
  await outside.webhookCount(told + 1)
  await report('ok')
  await watcher.transition('closed', from)
  await outside.webhookCount(told + 2)
  t.strictSame(titles(outside.webhooks.slice(told)), ['/hook/pager Own rows is down', '/hook/chat Own rows is back up'])
  const latest = `/v2/notifications/deliveries?workspace_id=${stage.workspaceId}&limit=2`
  const readLog = () => client().get<{ destination_name: string }[]>(latest)
  // The notifier writes a row of the log only after the response of the receiver.
  await eventually('the log has the recovery', async () => (await readLog())[0]?.destination_name === 'chat')
  const log = await readLog()
  t.match(log, [
    { destination_name: 'chat', alert_kind: 'recovery', status: 'delivered', error: '' },
    { destination_name: 'pager', alert_kind: 'problem', status: 'delivered', error: '' },
  ])
}

async function deleteWorkspace(t: Test, stage: Stage): Promise<void> {
  const { client, settings, outside } = stage
  const command = (...words: string[]) => runProgram(t, words, settings).ended
  const workspaceId = (await command('workspace', 'create', doomed)).stdout.trim()
  const hook = ['--to', `${outside.hookUrl}/doomed`, '--workspace', workspaceId]
  t.match(await command('destination', 'create', 'doomed', ...hook), { code: 0 })
  const { path, report, incidents } = await createSubject({ ...stage, workspaceId }, 'Doomed')
  const before = outside.webhooks.length
  await report('problem')
  await outside.webhookCount(before + 1)
  const [incident] = await incidents()
  const listed = await command('incident', 'list', '--workspace', doomed)
  t.match(listed.stdout, new RegExp(`^${incident?.id} +problem +\\S+ +${doomed} +doomed +stuck `, 'm'))

  const refused = await command('workspace', 'delete', doomed)
  t.match(refused, { code: 4, stderr: /^Workspace is not empty: It has 1 subject, 1 destination and 1 member\./ })
  t.match(await incidents(), [{ id: incident?.id }], 'a refusal changes nothing')
  const deleted = await command('workspace', 'delete', doomed, '--force')
  t.match(deleted, { code: 0, stdout: /is deleted\. It had 1 subject, 1 destination and 1 member\.$/m })
  await t.rejects(client().get(`${path}?workspace_id=${workspaceId}`), /2002|2005/)
  t.notMatch(JSON.stringify(await client().get('/v2/workspaces')), workspaceId)
  t.match(await command('workspace', 'delete', doomed, '--force'), { code: 5 })
  await eventually('all of it is removed', () => stage.output().includes('workspace removed'))
  // A later message of another workspace has arrived, so no message of this workspace is still on its way.
  const { report: reportOther } = await createSubject(stage, 'After all')
  const told = outside.webhooks.length
  await reportOther('problem')
  await outside.webhookCount(told + 1)
  const ofDoomed = titles(outside.webhooks).filter(title => title.startsWith('/hook/doomed'))
  t.strictSame(ofDoomed, ['/hook/doomed Doomed is down'], 'its end is no recovery')
}

/** Stops the program first, because only one process may open its store. */
async function lookAtAlerts(t: Test, stage: Stage): Promise<void> {
  await stage.stop()
  const store = await openStore({ dataFolder: stage.dataFolder, logger: createLogger('silent') })
  t.teardown(() => store.close())
  const alerts = (await store.find('alerts', { limit: 1_000 })).filter(({ facts }) => facts.subjectSlug === 'held')
  t.match(
    alerts.sort((a, b) => a.number - b.number),
    [
      { kind: 'problem', held: 'maintenance', state: 'dispatched', deliveries: 0, skipped: [{ reason: 'maintenance' }] },
      { kind: 'recovery', held: null, state: 'dispatched', deliveries: 1, skipped: [] },
    ],
  )
  const subjects = await store.find('subjects', { limit: 1_000 })
  t.strictSame(
    subjects.filter(({ deletedAt }) => deletedAt !== null).map(({ name }) => name),
    ['Doomed'],
  )
  const destinations = await store.find('destinations', { limit: 1_000 })
  t.notOk(destinations.some(({ name }) => name === 'doomed'))
  const deliveries = await store.find('deliveries', { limit: 1_000 })
  t.strictSame(
    deliveries.filter(({ open }) => open === 1),
    [],
    'nothing waits',
  )
  t.strictSame(await store.find('deadLetters', { limit: 10 }), [], 'nothing was set aside')
}

/** Starts the program on a bus that outlives it, with one key, and with a receiver as its default destination. */
async function setStage(t: Test) {
  const dataFolder = await mkdtemp(join(tmpdir(), 'watchkeeper-custom-'))
  const testBus = await startTestBus()
  const outside = await startOutside()
  const settings = { DATA_DIR: dataFolder, NATS_URL: testBus.url, NATS_TOKEN: testBus.token }
  let program: Program | null = await startProgram(settings)
  const watcher = await watchStates(testBus.url, testBus.token)
  const stop = async () => {
    await program?.stop()
    program = null
  }
  t.teardown(async () => {
    await watcher.close()
    await stop()
    await outside.close()
    await testBus.stop()
    await rm(dataFolder, { recursive: true, force: true })
  })
  const key = (await readFile(join(dataFolder, 'first-key'), 'utf8')).trim()
  const baseUrl = () => /listens on (\S+?);/.exec(program?.output() ?? '')?.[1] ?? ''
  const client = () => createClient(baseUrl(), key)
  const [workspace] = await client().get<{ id: string }[]>('/v2/workspaces')
  const workspaceId = workspace?.id ?? ''
  const addDestination = async (name: string, path = `/${name}`) => {
    const body = { workspace_id: workspaceId, name, destination_type: 'webhook', url: `${outside.hookUrl}${path}` }
    return (await client().post<{ id: number }>('/v2/notifications/destinations', body)).id
  }
  await addDestination('hook', '')
  return {
    dataFolder,
    settings,
    outside,
    watcher,
    key,
    workspaceId,
    baseUrl,
    output: () => program?.output() ?? '',
    client,
    addDestination,
    stop,
    killAndStart: async () => {
      await program?.kill()
      program = await startProgram(settings)
    },
  }
}
