// State of one incident page: the incident, its records, its messages, and the moment shown. Events of the stream update this state.
import { computed, type ReadonlySignal, signal } from '@preact/signals'
import { now } from '../data/clock.ts'
import { createLoaded, type Loaded } from '../data/loaded.ts'
import { query, setQuery } from '../data/router.ts'
import { onNews } from '../data/stream.ts'
import { enterWorkspaceOf } from '../data/workspace.ts'
import type { Life } from '../drawing/life.ts'
import { lifeAt, type Moment, momentAt } from './moment.ts'
import { type Delivery, type Incident, readDeliveries, readIncident, readRecords } from './read.ts'
import { createRecords, type Records } from './records.ts'

export interface IncidentPage {
  id: string
  records: Records
  incident: Loaded<Incident>
  deliveries: Loaded<Delivery[]>
  moment: ReadonlySignal<Moment | null>
  life: ReadonlySignal<Life | null>
  isPlaying: ReadonlySignal<boolean>
  /** Shows the record with this index; null: the present. */
  show(index: number | null): void
  /** Starts a replay, which shows one record after another, 0.9 s each. A second call stops the replay. */
  play(): void
  reload(): Promise<void>
  /** From now on, updates the state after events of the stream. The returned function ends the updates. */
  start(): () => void
}

const stepMs = 900

export function createIncidentPage(id: string, schedule: (ms: number, run: () => void) => () => void): IncidentPage {
  const records = createRecords(sequence => readRecords(id, sequence))
  const workspaceId = () => records.latest.peek()?.workspace_id ?? ''
  const incident = createLoaded(() => readIncident(workspaceId(), id))
  const deliveries = createLoaded(() => readDeliveries(workspaceId(), id))
  const wished = computed(() => sequenceIn(query.value.get('at')))
  const moment = computed(() => momentAt(records.all.value, wished.value, now.value))
  const life = computed(() => moment.value && lifeAt(records.all.value, moment.value, records.latest.value?.outlook ?? null))
  const cancel = signal<(() => void) | null>(null)

  const show = (index: number | null) => {
    const record = index === null ? undefined : records.all.peek()[index]
    setQuery({ at: record === undefined ? null : String(record.sequence) })
  }
  const stop = () => {
    cancel.peek()?.()
    cancel.value = null
  }
  const step = () => {
    const next = (moment.peek()?.index ?? 0) + 1
    if (next >= records.all.peek().length) return stop()
    show(next)
    cancel.value = schedule(stepMs, step)
  }
  const play = () => {
    if (cancel.peek() !== null) return stop()
    const at = moment.peek()
    if (at === null || at.isLive || at.index >= records.all.peek().length - 1) show(0)
    cancel.value = schedule(stepMs, step)
  }
  const reload = async () => {
    await records.readOn()
    const known = records.latest.peek()
    if (known === null) return
    enterWorkspaceOf(known)
    await Promise.all([incident.reload(), deliveries.reload()])
  }
  const start = () => {
    const silence = onNews((name, data) => {
      if (name === 'reset') return void reload()
      const about = data as { id?: unknown; incident?: unknown }
      if (name === 'incident' && about.id === id) void reload()
      if (name === 'delivery' && about.incident === id) void deliveries.reload()
    })
    return () => {
      silence()
      stop()
    }
  }
  const isPlaying = computed(() => cancel.value !== null)
  return { id, records, incident, deliveries, moment, life, isPlaying, show, play, reload, start }
}

/** Returns the sequence that the parameter `at` of an address contains. Returns null (the present) if `text` is no sequence. */
const sequenceIn = (text: string | null): number | null => (text !== null && /^[1-9]\d{0,6}$/.test(text) ? Number(text) : null)
