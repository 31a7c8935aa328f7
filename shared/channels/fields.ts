// Fields of channels: a field that several share, and the schema, the faults and the stored form of a value by its field. Pure.
import { type TSchema, Type } from 'typebox'
import type { SettingStep, SettingValue } from '#shared/contracts/notifications/destination.ts'
import { maxAfterMinutes } from '#shared/contracts/resources/template.ts'
import { firstRefusal } from '#shared/json-shape/first-refusal.ts'
import { limits } from '#shared/limits/limits.ts'
import type { ChannelField, MessageLinks, Settings } from './port.ts'

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

export const digestKey = 'digest'

/** Whether messages are gathered in a storm. Types have it whose messages people read one by one (v3 10.19). */
export const digestField = (isUsual: boolean): ChannelField => ({
  key: digestKey,
  label: 'Digest',
  help: 'After five messages in a minute, the further ones come together in one.',
  type: 'boolean',
  mark: 'shape',
  default: isUsual,
})

/** Of types that had messages before there were acknowledge links, so that these stay as they are unless somebody asks. */
export const acknowledgeField: ChannelField = {
  key: 'acknowledge_link',
  label: 'Acknowledge link',
  help: 'Everybody who reads the message can take the incident on by it, without an account.',
  type: 'boolean',
  mark: 'shape',
  default: false,
}

/** Returns the links that a message of such a type has. */
export const wantedLinks = (links: MessageLinks, settings: Settings): MessageLinks =>
  settings[acknowledgeField.key] === true ? links : { subject: links.subject }

const { settingCharacters, urlCharacters, settingItems, steps, nameCharacters } = limits.destination

/** Returns the bounds of an integer, of the number of items, or of the number of characters. */
export function boundsOf({ type, isRequired, min, max }: ChannelField): { min?: number; max?: number } {
  if (type === 'boolean' || type === 'enum') return {}
  if (type === 'integer') return { ...(min === undefined ? {} : { min }), ...(max === undefined ? {} : { max }) }
  const usual = { string: settingCharacters, url: urlCharacters, string_list: settingItems, steps }[type]
  return { min: min ?? (isRequired ? 1 : 0), max: max ?? usual }
}

const Step = Type.Object(
  {
    destination: Type.String({
      ...{ plain: 'line', trimmed: true, minLength: 1, maxLength: nameCharacters },
      description: 'Its id or its name. Answers have its id.',
      examples: ['On call'],
    }),
    after_minutes: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: maxAfterMinutes,
        description: 'From the confirmation of the problem.',
        examples: [10],
      }),
    ),
  },
  { additionalProperties: false },
)

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
      return Type.Array(Type.String({ ...text, minLength: 1, maxLength: field.characters ?? settingCharacters }), {
        description,
        minItems: min ?? 0,
        maxItems: max ?? settingItems,
      })
    case 'steps':
      return Type.Array(Step, { description, minItems: min ?? 1, maxItems: max ?? steps })
    default:
      return Type.String({ ...text, description, minLength: min ?? 0, maxLength: max ?? settingCharacters })
  }
}

/** Returns a sentence about a value that the field does not accept; null: it is right. Addresses are checked further. */
export function faultOfSetting(field: ChannelField, value: unknown): string | null {
  const schema = Type.Object({ settings: Type.Object({ [field.key]: valueSchema(field) }) })
  const refusal = firstRefusal(schema, { settings: { [field.key]: value } })
  const { fits } = field
  if (refusal === null && field.type === 'steps') return faultOfSteps(field, value as SettingStep[])
  const texts = (Array.isArray(value) ? value : [value]).map(text => String(text).trim())
  if (refusal !== null || fits === undefined || texts.every(text => fits(text))) return refusal?.message ?? null
  return `Field 'settings.${field.key}' must ${field.must}`
}

function faultOfSteps({ key }: ChannelField, given: readonly Partial<SettingStep>[]): string | null {
  const minutes = given.map(({ after_minutes: after = 0 }) => after)
  const early = minutes.findIndex((after, i) => after < (minutes[i - 1] ?? 0))
  return early < 0 ? null : `Field 'settings.${key}' must not descend: step ${early + 1} is earlier than the one before it`
}

/** Returns a right value as it is stored, without white space around its texts, and with the minutes of each step. */
export function trimmedSetting(value: SettingValue): SettingValue {
  if (typeof value === 'string') return value.trim()
  if (!Array.isArray(value)) return value
  return value.every(item => typeof item === 'string')
    ? value.map(item => item.trim())
    : value.map(({ destination, after_minutes: after = 0 }) => ({ destination: destination.trim(), after_minutes: after }))
}
