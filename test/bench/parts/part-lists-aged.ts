// Lists after a long time: the same questions to the directory over an embedded store with a short history and over one with a hundred times
// the incidents and messages, in turn. Without HTTP and bus, so that nothing hides a difference.
import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import type { DeliveryLogDocument } from '#shared/contracts/notifications/delivery.ts'
import { facetsOf } from '#shared/incidents/incident-facets.ts'
import { day, hour, minute } from '#shared/limits/limits.ts'
import { addReport, type Bucket, emptyBucket } from '#shared/roll-up/bucket.ts'
import { packBuckets } from '#shared/roll-up/packed.ts'
import { rollUpId } from '#shared/roll-up/roll-up-ids.ts'
import { packTrouble, troubleId } from '#shared/roll-up/trouble.ts'
import type { Store } from '#shared/store/port.ts'
import { openSqliteStore } from '#shared/store/sqlite/sqlite.ts'
import { listIncidents } from '../../../services/directory/incidents/incident-list.ts'
import { listOpenIncidents } from '../../../services/directory/incidents/incidents.ts'
import { listDeliveries, listDeliveryLog } from '../../../services/directory/notifications/delivery-log.ts'
import { getBands } from '../../../services/directory/subjects/bands.ts'
import { getFigures } from '../../../services/directory/subjects/figures.ts'
import { getOverview } from '../../../services/directory/subjects/overview.ts'
import { incident, subject } from '../../store/documents.ts'
import { presentLevel } from '../../support/present-level.ts'
import { type PartResult, quantity, type Run } from '../run/run-context.ts'
import { median } from '../run/statistics.ts'
import { makeTemporaryFolder, removeTemporaryFolder } from '../run/temporary-folder.ts'

const monitors = 100
const openOnes = 30
/** Incidents of each monitor whose days are not rolled up yet. */
const fresh = 5
const short = { incidents: 3_000, times: 100 }
const workspaceId = 'bench1'
/** Largest permitted ratio of a list to the same list with a short history. */
const ratioMax = 2
const batch = 1_000

const location = 'loc1'
const check = { url: 'https://example.com/', locations: [location], interval: 60 } as never

const idOf = (monitor: number) => `m${String(monitor).padStart(9, '0')}`
const destinations = 10

/** The aged store, and what the questions need to name. */
interface Aged {
  store: Store
  now: number
  incidents: number
}

type Ask = (aged: Aged) => Promise<unknown>

const context = ({ store, now }: Aged) =>
  ({ store, level: presentLevel(), clock: { now: () => now }, incidentSalt: 'bench' }) as never
const nothing = {
  isOpen: null,
  isConfirmed: null,
  isAcknowledged: null,
  rule: null,
  resources: [],
  labels: [],
  meta: [],
  template: null,
  state: 'all',
}
/** Position in the middle of all messages. */
const middle = ({ incidents }: Aged) => `${Math.floor(incidents / 2)}:log${Math.floor(incidents / 2)}`

/** Position before the oldest messages about a monitor. */
const lastOfMonitor = ({ incidents, now }: Aged) => `${now - (incidents - 20 * monitors) * 1_000}:log`

const incidents = (filters: object) => (aged: Aged) =>
  listIncidents(context(aged), {
    workspaceId,
    filters: { ...nothing, ...filters },
    after: null,
    limit: 50,
  } as never)
const deliveries = (asked: object, after: (aged: Aged) => string | null) => (aged: Aged) => {
  const all = { workspaceId, destinationNumber: null, failedOnly: false, limit: 50, after: after(aged) }
  return listDeliveries(context(aged), { ...all, ...asked } as never)
}
const log = (asked: object, after: (aged: Aged) => string | null) => (aged: Aged) => {
  const all = { workspaceId, status: null, destinationId: null, subjectId: null, limit: 50, after: after(aged) }
  return listDeliveryLog(context(aged), { ...all, ...asked } as never)
}
const first = () => null

const lists: Readonly<Record<string, Ask>> = {
  'open incidents, generation 2': aged =>
    listOpenIncidents(context(aged), { workspaceId, subjectId: null, after: null } as never),
  'open incidents of a monitor, generation 2': aged =>
    listOpenIncidents(context(aged), { workspaceId, subjectId: idOf(1), after: null } as never),
  incidents: incidents({}),
  'open incidents': incidents({ isOpen: true }),
  'unconfirmed incidents: none': incidents({ isConfirmed: false }),
  'incidents of a rule': incidents({ rule: 'reachability', isOpen: false }),
  'messages, generation 2': deliveries({}, first),
  'messages, generation 2, a page in the middle': deliveries({}, middle),
  'messages to a destination, generation 2': deliveries({ destinationNumber: 3 }, first),
  'failed messages to a destination, generation 2: few': deliveries({ destinationNumber: 3, failedOnly: true }, first),
  messages: log({}, first),
  'messages, a page in the middle': log({}, middle),
  'failed messages to a destination: few': log({ destinationId: 'd3', status: 'failed' }, first),
  'failed messages: few': log({ status: 'failed' }, first),
  'messages about a monitor': log({ subjectId: idOf(1) }, first),
  'messages about a monitor, the last page': log({ subjectId: idOf(1) }, lastOfMonitor),
  overview: aged => getOverview(context(aged), { workspaceId } as never),
  'figures of a page of 100': aged =>
    getFigures(context(aged), { workspaceId, subjectIds: Array.from({ length: monitors }, (_, i) => idOf(i)) } as never),
  'periods of a chart': aged => getBands(context(aged), { subjectId: idOf(1), from: aged.now - day, to: aged.now } as never),
}

export async function agedLists(run: Run): Promise<PartResult> {
  const folder = makeTemporaryFolder()
  const times = run.options.quick ? 10 : short.times
  const stores: Store[] = []
  try {
    const now = Math.floor(Date.now() / day) * day + day / 2
    const [young, old] = await Promise.all(
      [1, times].map(async factor => {
        const store = await openSqliteStore(join(folder, `${factor}.db`))
        stores.push(store)
        const aged = { store, now, incidents: short.incidents * factor }
        run.say(`lists: ${aged.incidents} incidents and messages`)
        await fill(aged)
        return aged
      }),
    )
    const rows: { list: string; 'short, ms': string; 'long, ms': string; ratio: number }[] = []
    for (const [list, ask] of Object.entries(lists)) {
      const [before = 0, after = 0] = await inTurn(
        run.options.quick ? 5 : 30,
        () => ask(young as Aged),
        () => ask(old as Aged),
      )
      rows.push({
        list,
        'short, ms': before.toFixed(2),
        'long, ms': after.toFixed(2),
        ratio: Number((after / before).toFixed(2)),
      })
    }
    const worst = Math.max(...rows.map(({ ratio }) => ratio))
    const name = `lists at ${times} times the incidents and messages, the slowest beside itself`
    return {
      quantities: [quantity('lists', name, 'x', worst, { better: 'lower', budget: ratioMax, floor: ratioMax })],
      details: [{ title: `Lists with ${short.incidents} and ${short.incidents * times} incidents and messages`, rows }],
    }
  } finally {
    for (const store of stores) await store.close()
    removeTemporaryFolder(folder)
  }
}

/** Returns the median duration of both, ms. They run in turn, after a round that does not count. */
async function inTurn(rounds: number, ...asks: (() => Promise<unknown>)[]): Promise<number[]> {
  const times = asks.map((): number[] => [])
  for (let round = -1; round < rounds; round++) {
    for (const [i, ask] of asks.entries()) {
      const startedAt = performance.now()
      await ask()
      if (round >= 0) times[i]?.push(performance.now() - startedAt)
    }
  }
  return times.map(median)
}

/** Fills a store: monitors, incidents and messages of three minutes each before `now`, and the roll-ups of all days but the last. */
async function fill({ store, now, incidents: count }: Aged): Promise<void> {
  await store.insert(
    'subjects',
    Array.from({ length: monitors }, (_, i) =>
      subject(idOf(i), { workspaceId, createdAt: now - 400 * day, slug: idOf(i), check }),
    ),
  )
  const today = Math.floor(now / day) * day
  const trouble = packTrouble({ to: today, days: [{ at: today - 3 * day, ms: 60_000, incidents: 1 }], crossing: [] })
  await store.upsert(
    'rollUps',
    Array.from({ length: monitors }, (_, i) => ({ id: troubleId(idOf(i)), data: trouble })),
  )
  const hourly = packBuckets(Array.from({ length: 12 }, (_, i) => bucketOf(i)))
  for (let i = 0; i < monitors; i++)
    await store.upsert(
      'rollUps',
      Array.from({ length: 24 }, (_, ago) => ({
        id: rollUpId(idOf(i), { kind: 'location', id: location }, 'hour', now - (ago + 1) * hour),
        data: hourly,
      })),
    )
  for (let from = 0; from < count; from += batch) {
    const numbers = Array.from({ length: batch }, (_, i) => from + i)
    await Promise.all([
      store.insert(
        'incidents',
        numbers.map(number => incidentOf(number, count, now)),
      ),
      store.insert(
        'deliveryLog',
        numbers.map(number => messageOf(number, now - (count - number) * 1_000)),
      ),
    ])
  }
}

/** Returns the checks of five minutes. */
function bucketOf(number: number): Bucket {
  const bucket = emptyBucket()
  for (let i = 0; i < 5; i++) addReport(bucket, true, 80 + ((number * 5 + i) % 40))
  return bucket
}

function incidentOf(number: number, count: number, now: number) {
  const subjectId = idOf(number % monitors)
  const left = count - number
  const isOpen = left <= openOnes
  const isToday = left <= fresh * monitors
  const troubleSince = isToday ? now - left * 1_000 : Math.floor(now / day) * day - left * minute
  const facets = facetsOf({ isOpen, isConfirmed: true, isAcknowledged: false })
  const times = { troubleSince, confirmedAt: troubleSince, closedAt: isOpen ? null : troubleSince + 30_000 }
  const state = { open: isOpen ? 1 : 0, status: isOpen ? 'problem' : 'ok', facets } as const
  return incident(`${subjectId}.${Math.floor(number / monitors) + 1}`, {
    subjectId,
    workspaceId,
    number: number + 1,
    ...state,
    ...times,
  })
}

function messageOf(number: number, at: number): DeliveryLogDocument {
  const destination = number % destinations
  const incidentId = `${idOf(number % monitors)}.${Math.floor(number / monitors) + 1}`
  const named = {
    destinationId: `d${destination}`,
    destinationNumber: destination,
    destinationName: 'Chat',
    destinationType: 'webhook',
  }
  const outcome = number < 5 * destinations ? { status: 'failed', reason: 'http_500' } : { status: 'delivered', reason: null }
  const said = {
    alertKind: 'problem',
    event: 'problem',
    payload: '{"text":"a message"}'.repeat(10),
    error: '',
    incidentId,
    subjectId: idOf(number % monitors),
  }
  const row = { id: `log${number}`, rev: 1, number, workspaceId, shownInV2: 1, at, expireAt: at + 400 * day }
  return { ...row, ...named, ...outcome, ...said } as unknown as DeliveryLogDocument
}
