// Secrets on the command line: `env:<VARIABLE>`, because others can read the arguments of a command in the list of processes.
import { usageError } from '../runtime/start-error.ts'

const fromEnvironment = /^env:(.+)$/s

/** Returns what `text` says: the value of the variable that it names, or the text itself. Throws a StartError if there is no such variable. */
export function valueFrom(option: string, text: string): string {
  const [, variable] = fromEnvironment.exec(text) ?? []
  const value = variable === undefined ? text : process.env[variable]
  if (value === undefined) throw usageError(`${option}: the environment has no ${variable}.`)
  return value
}

/** Like `valueFrom`, but a text that names no variable is refused. `option`: the option up to its value, such as `--set token=`. */
export function valueOfSecret(option: string, key: string, text: string): string {
  if (fromEnvironment.test(text) || text === '') return valueFrom(option.replace(/[= ]$/, ''), text)
  throw usageError(`${key} is a secret, which others would see in the list of processes: ${option}env:<VARIABLE>.`)
}
