// Metrics of people's monitors in the Prometheus text format: whether each is up, how fast it responds, its open incidents and its uptime.
// Bounded in series. Labels are names and keys that people gave, with the credentials of addresses redacted. Never writes.
import { Gauge, Registry } from 'prom-client'
import { nextStep } from '#machines/incident-outlook.ts'
import { inParallel } from '#shared/async/in-parallel.ts'
import type { RosterStatus } from '#shared/contracts/subjects/roster.ts'
import type { SubjectDocument } from '#shared/contracts/subjects/subject.ts'
import { day, limits, second } from '#shared/limits/limits.ts'
import { redactedText } from '#shared/secrecy/redacted-text.ts'
import { pagesOf } from '#shared/store/pages.ts'
import type { Store } from '#shared/store/port.ts'
import { checkedPairs } from '#shared/subjects/checked-pairs.ts'
import { type CheckedValue, checkedValues } from '#shared/subjects/checked-values.ts'
import { presentSignals } from '#shared/subjects/resource-checks.ts'
import { rosterRow } from '#shared/subjects/roster-row.ts'
import { sourceRange } from '#shared/text/ids.ts'
import type { Clock } from '#shared/time/clock.ts'
import { readUptimes } from '../subjects/figures.ts'

export interface MonitorMetrics {
  contentType: string
  /** Returns the metrics. Rejects with the error of the store. Requests during a read, and shortly after it, get the same text. */
  text(): Promise<string>
}

interface Means {
  store: Store
  clock: Pick<Clock, 'now' | 'monotonic'>
}

const bounds = limits.monitorMetrics

export function createMonitorMetrics(means: Means): MonitorMetrics {
  let known: { text: string; until: number } | null = null
  let reading: Promise<string> | null = null
  const read = async () => {
    const text = await textOf(means)
    known = { text, until: means.clock.monotonic() + bounds.freshMs }
    return text
  }
  return {
    contentType: Registry.PROMETHEUS_CONTENT_TYPE,
    text: async () => {
      if (known !== null && means.clock.monotonic() < known.until) return known.text
      reading ??= read().finally(() => {
        reading = null
      })
      return await reading
    },
  }
}

/** Present state as `watchkeeper_monitor_up`; null: no rule can say anything yet, and there is no sample. */
const ups: Record<RosterStatus, 0 | 1 | null> = {
  ...{ down: 0, no_data: 0, partly_known: 0 },
  ...{ pending: 1, recovering: 1, up: 1 },
  unknown: null,
}

async function textOf(means: Means): Promise<string> {
  const { store } = means
  const registry = new Registry()
  const gauge = (name: string, help: string, labelNames: string[]) => new Gauge({ name, help, labelNames, registers: [registry] })
  const own = ['workspace_id', 'workspace', 'monitor', 'name']
  const up = gauge('watchkeeper_monitor_up', '1: up. 0: down or without data', own)
  const response = gauge('watchkeeper_monitor_response_seconds', 'Duration of the newest check', [...own, 'location'])
  const open = gauge('watchkeeper_monitor_incident_open', 'Open incidents', own)
  const uptime = gauge('watchkeeper_monitor_uptime_ratio', 'Uptime of the last 30 days, 0 to 1', own)
  const leftOut = gauge('watchkeeper_monitors_left_out', 'Monitors that have no metrics because there are too many', [])
  const { subjects, count } = await readSubjects(store)
  const places = new Map((await store.find('locations', { limit: limits.directory.listed })).map(({ id, name }) => [id, name]))
  const workspaceIds = [...new Set(subjects.map(({ workspaceId }) => workspaceId))]
  const workspaces = await store.get('workspaces', workspaceIds)
  const nameOf = new Map(workspaceIds.map((id, i) => [id, workspaces[i]?.name ?? id]))
  const now = means.clock.now()
  const shares = await sharesOf(store, subjects, now)
  await inParallel(subjects, bounds.monitorsAtOnce, async subject => {
    const { workspaceId, slug, name } = subject
    const workspace = redactedText(nameOf.get(workspaceId) ?? workspaceId)
    const labels = { workspace_id: workspaceId, workspace, monitor: slug, name: redactedText(name) }
    const row = rosterRow(subject, nextStep)
    if (row === null) return
    const isUp = ups[row.status]
    if (isUp !== null) up.set(labels, isUp)
    open.set(labels, row.incidents)
    const share = shares.get(subject.id) ?? null
    if (share !== null) uptime.set(labels, share)
    const timed = checkedValues({ check: subject.check, checks: presentSignals(subject.templated) }).filter(isTime)
    for (const { locationId, source } of checkedPairs(subject).filter(({ signal }) => signal === timed[0]?.signal)) {
      const ms = await newestMs(store, subject.id, source, now)
      if (ms !== null) response.set({ ...labels, location: places.get(locationId) ?? locationId }, ms / second)
    }
  })
  leftOut.set(Math.max(0, count - subjects.length))
  return registry.metrics()
}

/** Returns the uptimes by id. */
async function sharesOf(store: Store, subjects: readonly SubjectDocument[], now: number): Promise<Map<string, number | null>> {
  const shares = new Map<string, number | null>()
  for (let from = 0; from < subjects.length; from += bounds.perRead) {
    const some = subjects.slice(from, from + bounds.perRead)
    const uptimes = await readUptimes(store, some, now)
    for (const [index, { id }] of some.entries()) shares.set(id, uptimes[index]?.uptime ?? null)
  }
  return shares
}

/** Returns the first monitors by id, up to the bound, and the number of all monitors. */
async function readSubjects(store: Store): Promise<{ subjects: SubjectDocument[]; count: number }> {
  const where = { archivedAt: null, deletedAt: null }
  const subjects: SubjectDocument[] = []
  const query = { where, limit: bounds.perRead }
  for await (const page of pagesOf(query, next => store.find('subjects', next))) {
    subjects.push(...page.slice(0, bounds.monitors - subjects.length))
    if (subjects.length === bounds.monitors) break
  }
  return { subjects, count: await store.count('subjects', where) }
}

const isTime = ({ unit }: CheckedValue): boolean => unit === 'ms'

/** Returns the duration of the newest check of today or yesterday, ms; null: there was none, or it has none. */
async function newestMs(store: Store, subjectId: string, source: string, now: number): Promise<number | null> {
  for (const at of [now, now - day]) {
    const where = { id: sourceRange(at, subjectId, source) }
    const [newest] = await store.find('observations', { where, sort: [['id', 'desc']], limit: 1 })
    if (newest !== undefined) return newest.totalMs
  }
  return null
}
