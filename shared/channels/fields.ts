// Fields of channels: a field that several share, and the schema, the faults and the stored form of a value by its field. Pure.
import { type TSchema, Type } from 'typebox'
import type { SettingValue } from '#shared/contracts/notifications/destination.ts'
import { firstRefusal } from '#shared/json-shape/first-refusal.ts'
import { limits } from '#shared/limits/limits.ts'
import type { ChannelField } from './port.ts'

/** The address of types whose URL is a member of the destination itself. It is a secret, because who knows it can post there. */
export const urlField = (help: string): ChannelField => ({
  key: 'url',
  label: 'URL',
  help,
  type: 'url',
  mark: 'secret',
  isRequired: true,
  isTop: true,
})

const { settingCharacters, urlCharacters, settingItems } = limits.destination

/** Returns the bounds of an integer, of the number of items, or of the number of characters. */
export function boundsOf({ type, isRequired, min, max }: ChannelField): { min?: number; max?: number } {
  if (type === 'boolean' || type === 'enum') return {}
  if (type === 'integer') return { ...(min === undefined ? {} : { min }), ...(max === undefined ? {} : { max }) }
  const usual = { string: settingCharacters, url: urlCharacters, string_list: settingItems }[type]
  return { min: min ?? (isRequired ? 1 : 0), max: max ?? usual }
}

/** Returns the schema of a value. Addresses of the type `url` are checked further. */
export function valueSchema(field: ChannelField): TSchema {
  const { type, help: description, options = [] } = field
  const { min, max } = boundsOf(field)
  const text = { plain: 'line', trimmed: true }
  switch (type) {
    case 'boolean':
      return Type.Boolean({ description })
    case 'enum':
      return Type.Enum([...options], { description })
    case 'integer':
      return Type.Integer({
        description,
        ...(min === undefined ? {} : { minimum: min }),
        ...(max === undefined ? {} : { maximum: max }),
      })
    case 'string_list':
      return Type.Array(Type.String({ ...text, minLength: 1, maxLength: settingCharacters }), {
        description,
        minItems: min ?? 0,
        maxItems: max ?? settingItems,
      })
    default:
      return Type.String({ ...text, description, minLength: min ?? 0, maxLength: max ?? settingCharacters })
  }
}

/** Returns a sentence about a value that the field does not accept; null: it is right. Addresses are checked further. */
export function faultOfSetting(field: ChannelField, value: unknown): string | null {
  const schema = Type.Object({ settings: Type.Object({ [field.key]: valueSchema(field) }) })
  const refusal = firstRefusal(schema, { settings: { [field.key]: value } })
  const { fits } = field
  const texts = (Array.isArray(value) ? value : [value]).map(text => String(text).trim())
  if (refusal !== null || fits === undefined || texts.every(text => fits(text))) return refusal?.message ?? null
  return `Field 'settings.${field.key}' must ${field.must}`
}

/** Returns a right value as it is stored, without white space around its texts. */
export const trimmedSetting = (value: SettingValue): SettingValue =>
  typeof value === 'string' ? value.trim() : Array.isArray(value) ? value.map(item => item.trim()) : value
