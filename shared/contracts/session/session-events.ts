// Events of a workspace that generation 3 sends as a stream. `sessionEvents` contains the schema of an event's `data` under the name of
// the event. Instants are RFC 3339.
import { type Static, Type } from 'typebox'
import { DateTime, Nullable, Strict } from '#shared/contracts/common.ts'
import { MonitorRow } from '#shared/contracts/session/session-monitors.ts'

export const sessionEvents = {
  /** The stream is open. Unless a `reset` came before `hello`, the stream has sent every event since `Last-Event-ID`. */
  hello: Strict({ at: DateTime }),
  /** Events may be missing: the client must read the displayed data again. */
  reset: Strict({ at: DateTime }),
  /** The stream ends, because the session or the key has ended, the membership has changed, or the gateway stops. */
  ended: Strict({ why: Type.Enum(['session', 'key', 'rights', 'stopping']) }),
  /** A monitor was created, or a field of its row changed. */
  row: MonitorRow,
  /** A monitor was archived or deleted. */
  gone: Strict({ id: Type.String() }),
  /** An incident has a new record. */
  incident: Strict({
    id: Type.String(),
    monitor: Type.String(),
    sequence: Type.Integer(),
    /** Kind of the record in the incident's history. */
    kind: Type.String(),
    /** State of the machine after the record. */
    state: Type.String(),
    at: DateTime,
    deadline_at: Nullable(DateTime),
    explanation: Type.String(),
  }),
  /** A maintenance window started, changed or ended. */
  window: Strict({
    monitor: Type.String(),
    state: Type.Enum(['running', 'ranOut', 'cancelled']),
    started_at: DateTime,
    ends_at: DateTime,
    cancelled_at: Nullable(DateTime),
    by: Type.String(),
  }),
  /** An attempt to deliver a message ended. */
  delivery: Strict({
    incident: Type.String(),
    monitor: Type.String(),
    destination_id: Type.String(),
    /** Name of the destination; null: the destination is deleted. */
    destination_name: Nullable(Type.String()),
    state: Type.Enum(['waiting', 'delivered', 'failed']),
    attempts: Type.Integer(),
    at: DateTime,
  }),
  /** A monitor has a new reading. Sent only within a minute after a trial of a rule on the monitor. */
  reading: Strict({ monitor: Type.String() }),
  /** A Template revision was published, or a Resource was bound to or unbound from this revision. `template`: `key@version`. */
  template: Strict({ template: Type.String() }),
  /** The number of live probers of a location changed. */
  prober: Strict({ location_id: Type.String(), active_workers_count: Type.Integer() }),
} as const

export type SessionEvent = keyof typeof sessionEvents
export type SessionEventData = { [E in SessionEvent]: Static<(typeof sessionEvents)[E]> }
