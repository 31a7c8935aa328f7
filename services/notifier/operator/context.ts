// Context that the parts of the operator's side of a notifier share.

import type { Bus } from '#shared/bus/port.ts'
import type { ConditionDocument, ConditionKind } from '#shared/contracts/incidents/condition.ts'
import type { Logger } from '#shared/observability/logger.ts'
import type { Store } from '#shared/store/port.ts'
import type { Clock } from '#shared/time/clock.ts'
import type { Change, Conditions } from './conditions.ts'

export interface OperatorContext {
  bus: Bus
  store: Store
  clock: Clock
  logger: Logger
  notifierId: string
  incidentSalt: string
  /** The installation's public address. */
  source: string
  /** Address for changes; null: none. `secret` null: unsigned. Neither is ever logged. */
  webhook: { url: string; secret: string | null } | null
  /** A share from 0 to 1 for each retry's jitter. */
  jitter(): number
  /** True once the notifier stops. */
  stopping(): boolean
}

export interface Watching {
  context: OperatorContext
  conditions: Conditions
  /** `Conditions.change`, and the message of the change is sent. */
  alter(
    kind: ConditionKind,
    objectId: string,
    decide: (present: ConditionDocument | null) => Change | null,
  ): Promise<ConditionDocument | null>
}

export interface Watcher {
  /** Looks for what nothing announces. Called one at a time, after the conditions were read anew. Rejects with a StoreError. */
  look(): Promise<void>
  stop(): Promise<void>
}
