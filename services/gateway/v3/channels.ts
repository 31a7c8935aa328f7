// Types of destinations with their settings, from which forms, commands and agents are made. Reference: docs/reference/v3.md, 10.10.
import { type TObject, Type } from 'typebox'
import { boundsOf, valueSchema } from '#shared/channels/fields.ts'
import type { Channel, ChannelField } from '#shared/channels/port.ts'
import { channels, plainChannel } from '#shared/channels/registry.ts'
import { Answered, OrNull } from '../body/result-schema.ts'
import { isShort, route, shortQuery } from './common.ts'

const FieldObject = Answered('ChannelField', {
  key: Type.String({ examples: ['url'] }),
  label: Type.String({ examples: ['URL'] }),
  help: Type.String({
    description: 'Where to get the value, or what it does.',
    examples: ['The address to which messages are posted.'],
  }),
  type: { ...Type.Enum(['string', 'url', 'integer', 'boolean', 'enum', 'string_list', 'steps']), examples: ['url'] },
  required: Type.Boolean(),
  secret: Type.Boolean({ description: 'Never returned.' }),
  default: Type.Unknown({ description: 'Null if there is none.', examples: [null] }),
  options: Type.Array(Type.String()),
  min: OrNull(Type.Integer({ description: 'Of an integer, of the items of a list, or of the characters of a text.' })),
  max: OrNull(Type.Integer()),
  top: Type.Optional(Type.Literal(true, { description: 'A member of the destination itself, not of `settings`.' })),
})

const ChannelObject = Answered('Channel', {
  type: Type.String({ description: '`type` of its destinations.', examples: [plainChannel.type] }),
  name: Type.String({ examples: [plainChannel.name] }),
  help: Type.String({ examples: [plainChannel.help] }),
  life: Type.Enum(['none', 'message', 'alert'], {
    description: 'A later message changes an earlier one, or what is sent stays open until it is ended.',
  }),
  answers: Type.Enum(['delivered', 'accepted'], { description: 'What a success of the far end says.' }),
  fields: Type.Array(FieldObject, { examples: [plainChannel.fields.map(fieldObject)] }),
})

const list = route('GET', '/channels', {
  summary: 'Types of destinations, with the settings of each.',
  needs: { role: 'anybody', scope: null },
  isAudited: false,
  query: shortQuery,
  result: Type.Array(ChannelObject),
  refusals: ['422 form'],
  handler: async (_context, { query }) => channels.map(channel => channelObject(channel, isShort(query))),
})

const channelObject = ({ type, name, help, life, answers, fields }: Channel, withoutFields: boolean) => ({
  ...{ type, name, help, life, answers },
  fields: withoutFields ? [] : fields.map(fieldObject),
})

function fieldObject(field: ChannelField) {
  const { key, label, help, type, isRequired = false, mark, default: usual = null, options = [], isTop } = field
  const { min = null, max = null } = boundsOf(field)
  const shown = { key, label, help, type, required: isRequired, secret: mark === 'secret', default: usual, options, min, max }
  return isTop ? { ...shown, top: true } : shown
}

/** Returns the schema of a type's settings, for the document of the API. No setting is required, because a change names only some. */
export const settingsSchema = ({ type, name }: Channel, fields: readonly ChannelField[]): TObject =>
  Type.Object(Object.fromEntries(fields.map(field => [field.key, Type.Optional(valueSchema(field))])), {
    title: `Settings of ${name}`,
    description: `Of the type \`${type}\`. Secrets read \`[redacted]\`.`,
    additionalProperties: false,
  })

export const channelRoutes = [list]
