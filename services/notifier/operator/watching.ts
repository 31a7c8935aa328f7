// Inputs and outputs of each watcher of one kind of condition.
import type { ConditionDocument, ConditionKind } from '#shared/contracts/incidents/condition.ts'
import type { Change, Conditions } from './conditions.ts'
import type { OperatorContext } from './context.ts'

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
