// Reason why a value does not fit its contract, as the end of a sentence for a log or a response.
import type { Validator } from 'typebox/schema'

/** Returns the path and the message of the first fault; `what`: name of the value, used if the value itself is faulty. */
export function firstFault(validator: Pick<Validator, 'Errors'>, value: unknown, what: string): string {
  const [, [fault]] = validator.Errors(value)
  return fault ? `${fault.instancePath || what} ${fault.message}` : `${what} does not fit its contract`
}
