// Settings of destinations on the command line: `--set <key>=<value>`, read by the types that the API lists.
import { usageError } from '../../runtime/start-error.ts'
import { listedTypes } from '../api/listed-types.ts'
import { type Api, withApi } from '../api/with-api.ts'
import type { ApiOptions } from '../noun.ts'
import { valueFrom, valueOfSecret } from '../secret-value.ts'
import { printJson, printTable } from '../terminal/printing.ts'

interface ListedField {
  key: string
  type: string
  help: string
  required: boolean
  secret: boolean
  top?: true
}

interface ListedChannel {
  type: string
  fields: ListedField[]
}

const channelsOf = (api: Api): Promise<ListedChannel[]> => listedTypes<ListedChannel>(api, '/channels', 'fields')

/** Returns the members that `--set` names: those of the destination itself, and its `settings`. */
export async function membersSet(api: Api, type: string, set: readonly string[] = []): Promise<Record<string, unknown>> {
  if (set.length === 0) return {}
  const channel = (await channelsOf(api)).find(one => one.type === type)
  if (channel === undefined) throw usageError(`There is no type "${type}": see ./watchkeeper destination types.`)
  const members: Record<string, unknown> = {}
  const settings: Record<string, unknown> = {}
  for (const word of set) {
    const { field, value } = readSetting(channel, word)
    if (field.top) members[field.key] = value
    else settings[field.key] = value
  }
  return Object.keys(settings).length === 0 ? members : { ...members, settings }
}

/** Reads `key=value` or `key=env:<VARIABLE>`. An empty value takes the default back. */
function readSetting({ type, fields }: ListedChannel, word: string) {
  const [, key, text = ''] = /^([^=]+)=(.*)$/s.exec(word) ?? []
  // The value may be a secret whose key is misspelled, so no message has it.
  if (key === undefined) throw usageError('A setting is --set <key>=<value>.')
  const field = fields.find(one => one.key === key)
  if (field === undefined) throw usageError(`--set ${key}: a ${type} has ${fields.map(one => one.key).join(', ')}.`)
  const value = field.secret ? valueOfSecret(`--set ${key}=`, key, text) : valueFrom(`--set ${key}`, text)
  return { field, value: value === '' ? null : parsed(field, value) }
}

function parsed({ key, type }: ListedField, text: string): unknown {
  // Texts that have commas stand on lines of their own.
  if (type === 'string_list') return text.split(text.includes('\n') ? '\n' : ',')
  if (type === 'steps') return text.split(',').map(stepOf)
  if (type !== 'integer' && type !== 'boolean') return text
  const isFit = type === 'integer' ? /^-?\d{1,15}$/.test(text) : text === 'true' || text === 'false'
  if (!isFit) throw usageError(`--set ${key}: it must be ${type === 'integer' ? 'a whole number' : 'true or false'}.`)
  return JSON.parse(text)
}

/** Reads `<destination>` or `<destination>:<minutes>`. A name may have colons itself. */
function stepOf(text: string): { destination: string; after_minutes: number } {
  const [, destination = text, minutes = '0'] = /^(.*):(\d{1,4})$/s.exec(text.trim()) ?? []
  return { destination: destination.trim(), after_minutes: Number(minutes) }
}

/** `destination types`. */
export async function listTypes(options: ApiOptions): Promise<void> {
  const channels = await withApi(options, channelsOf)
  if (options.json) return printJson(channels)
  const marks = ({ required, secret }: ListedField) => [required && 'required', secret && 'secret'].filter(Boolean).join(', ')
  printTable(
    ['type', 'setting', 'value', 'mark', 'meaning'],
    channels.flatMap(({ type, fields }) => fields.map(one => [type, one.key, one.type, marks(one), one.help])),
  )
}
