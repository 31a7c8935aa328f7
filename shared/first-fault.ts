// Why a value does not fit its contract, as the end of a sentence for the log or for an asker.
import type { Validator } from 'typebox/compile'

/** The first fault, where it is and what it is; `what` names the value itself. */
export function firstFault(validator: Pick<Validator, 'Errors'>, value: unknown, what: string): string {
  const [fault] = validator.Errors(value)
  return fault ? `${fault.instancePath || what} ${fault.message}` : `${what} does not fit its contract`
}
