// Processes of the last release and of this version side by side, on one bus and one store: keeper, prober and the other services are
// replaced one after the other while an incident is open. The code of the release comes from the history of the repository.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { createKeeperClient } from '#shared/bus/clients/clients.ts'
import { keys, subjects } from '#shared/bus/subjects.ts'
import type { Command } from '#shared/contracts/subjects/command.ts'
import { partitionOf } from '#shared/text/hash.ts'
import { randomId } from '#shared/text/ids.ts'
import { createSystemClock } from '#shared/time/clock.ts'
import { temporaryFolder } from '../infra/run-program.ts'
import { createClient, type Program, startOutside, startProgram, watchStates } from '../integration/system.ts'
import { startTestBus } from '../support/bus/nats.ts'
import { websiteCheck } from '../support/checks.ts'
import { startSecantus } from '../support/store/secantus.ts'
import { checkOut, release, skipWithout } from './before.ts'

const root = join(import.meta.dirname, '../..')
const holdMs = 1_000

t.test(
  `processes of version ${release.name} are replaced one by one: each message is sent once, and nothing is lost`,
  { skip: skipWithout(release) },
  async t => {
    const secantus = await startSecantus()
    if (secantus === null) return t.comment('skipped: no server of the MongoDB wire protocol')
    const clock = createSystemClock()
    const earlier = checkOut(temporaryFolder(t), release, { presentPackages: true })
    const dataFolder = temporaryFolder(t)
    const [testBus, outside] = await Promise.all([startTestBus(), startOutside()])
    const settings = {
      DATA_DIR: dataFolder,
      NATS_URL: testBus.url,
      NATS_TOKEN: testBus.token,
      MONGODB_URL: `${secantus.url}/rolling`,
      WEBSITE_CONFIRM_AFTER: `${holdMs}ms`,
      WEBSITE_CLOSE_AFTER: `${holdMs}ms`,
    }
    const programs: Program[] = []
    const start = async (services: string, checkout = root) => {
      const program = await startProgram({ ...settings, SERVICES: services }, checkout)
      programs.push(program)
      return program
    }
    t.teardown(async () => {
      await Promise.all(programs.map(program => program.kill()))
      await Promise.all([outside.close(), testBus.stop(), secantus.stop()])
      clock.stop()
    })
    const others = 'directory,notifier,gateway'
    const front = await start(others, earlier)
    const [keeper, prober] = await Promise.all(['keeper', 'prober'].map(services => start(services, earlier)))
    const watcher = await watchStates(testBus.url, testBus.token)
    t.teardown(() => watcher.close())
    const { bus } = watcher

    const key = readFileSync(join(dataFolder, 'first-key'), 'utf8').trim()
    const clientOf = ({ output }: Program) => createClient(/listens on (\S+?);/.exec(output())?.[1] ?? '', key)
    const [workspace] = await clientOf(front).get<{ id: string }[]>('/v2/workspaces')
    const workspace_id = workspace?.id ?? ''
    await clientOf(front).post('/v2/notifications/destinations', {
      workspace_id,
      name: 'hook',
      destination_type: 'webhook',
      url: outside.hookUrl,
    })
    const [location] = await clientOf(front).get<{ id: string }[]>('/v2/locations')
    const locationId = location?.id ?? ''
    const createMonitor = async (id = randomId(10)) => {
      const check = websiteCheck({ url: outside.url, locations: [locationId], interval_unit: 'SECOND' })
      const sent = { kind: 'create-website', id: randomId(8), workspaceId: workspace_id, slug: id.toLowerCase(), name: id, check }
      await createKeeperClient(bus, clock).send(id, sent as Command)
      return id
    }
    /** Resolves with the next report on a monitor. */
    const reported = (id: string) =>
      new Promise<void>((resolve, reject) => {
        const listening = bus.subscribe(subjects.observation(locationId, id), () => {
          listening.then(subscription => subscription.close()).then(resolve, reject)
        })
      })
    const entryOf = async (id: string) => (await bus.bucket('checks').get(keys.check(locationId, id)))?.value
    const holderOf = async (id: string) =>
      ((await bus.bucket('leases').get(keys.lease(partitionOf(id))))?.value as { holder?: string } | undefined)?.holder ?? ''

    outside.setUp(false)
    const first = await createMonitor()
    await watcher.transition('problem')
    await outside.webhookCount(1)
    const entry = await entryOf(first)

    // The keeper is replaced while the incident is open. The earlier prober checks for the present keeper.
    const presentKeeper = await start('keeper')
    t.equal(await keeper?.stop(), 0)
    await reported(first)
    t.ok(presentKeeper.output().includes(`"keeper":"${await holderOf(first)}"`), 'the present keeper holds the partition')
    t.strictSame(await entryOf(first), entry, 'the check entry is the same')
    const second = await createMonitor()
    await watcher.transition('problem', watcher.seen.length)
    await reported(second)
    await outside.webhookCount(2)

    // The prober is replaced, then everything else.
    await start('prober')
    t.equal(await prober?.stop(), 0)
    await reported(first)
    const presentFront = await start(others)
    t.equal(await front.stop(), 0)
    const from = watcher.seen.length
    outside.setUp(true)
    await watcher.transition('closed', from)
    await outside.webhookCount(4)
    t.strictSame(
      outside.webhooks.map(({ title }) => title).sort(),
      [first, second].flatMap(id => [`${id} is back up`, `${id} is down`]).sort(),
      'one message each',
    )
    t.equal(new Set(outside.webhooks.map(webhook => webhook.key)).size, 4)
    const monitors = await clientOf(presentFront).get<{ id: string }[]>(`/v2/monitoring/websites?workspace_id=${workspace_id}`)
    t.strictSame(monitors.map(({ id }) => id).sort(), [first, second].sort())
    const logged = programs.map(program => program.output()).join('\n')
    t.notMatch(logged, /"level":"?(error|50)/, 'no process reports an error')
  },
)
