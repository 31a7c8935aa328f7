// What each watcher of one kind of condition is given, and what it gives back.
import type { ConditionDocument, ConditionKind } from '#shared/contracts/condition.ts'
import type { Change, Conditions } from './conditions.ts'
import type { OperatorParts } from './parts.ts'

export interface Watching {
  parts: OperatorParts
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
