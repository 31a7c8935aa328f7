// Settings of a stored destination, by the fields of its channel: reads them, and shows them without secrets. Pure.
import type { SettingValue } from '#shared/contracts/notifications/destination.ts'
import { hidden } from '#shared/secrecy/redacted-value.ts'
import { digestKey } from './fields.ts'
import type { Channel, ChannelField, Configured, Settings, Spacing } from './port.ts'

/** Returns all settings with a value. Unset ones have their default. */
export const settingsOf = ({ fields }: Channel, destination: Configured): Settings =>
  collected(fields, field => settingOf(field, destination))

/** Returns what `render` may see: of secrets and addresses, only whether they are set. */
export const shapeOf = ({ fields }: Channel, destination: Configured): Settings =>
  collected(fields, field => {
    const value = settingOf(field, destination)
    return field.mark === 'shape' || value === undefined ? value : true
  })

/** Returns the settings that the type has besides the members of the destination itself, as the API shows them. */
export const shownSettings = (channel: Channel, destination: Configured): Settings =>
  collected(ownFields(channel), field => {
    const value = settingOf(field, destination)
    return field.mark === 'secret' && value !== undefined ? hidden : value
  })

/** Whether messages to this destination are gathered in a storm. */
export const gathers = (channel: Channel, destination: Configured): boolean =>
  settingsOf(channel, destination)[digestKey] === true

/** Returns how fast messages may be sent to this destination. */
export const spacingOf = (channel: Channel, destination: Configured): readonly Spacing[] =>
  typeof channel.spacing === 'function' ? channel.spacing(settingsOf(channel, destination)) : (channel.spacing ?? [])

export const ownFields = ({ fields }: Channel): ChannelField[] => fields.filter(({ isTop }) => isTop !== true)

export const topFields = ({ fields }: Channel): ChannelField[] => fields.filter(({ isTop }) => isTop === true)

/** Returns the stored value, else the default; undefined: the setting has neither. */
function settingOf(field: ChannelField, { url, channel, sendOnOpen, settings }: Configured): SettingValue | undefined {
  const value = field.isTop ? { url, channel, send_on_open: sendOnOpen }[field.key] : settings?.[field.key]
  return value === '' || value === undefined ? field.default : value
}

const collected = (fields: readonly ChannelField[], read: (field: ChannelField) => SettingValue | undefined): Settings =>
  Object.fromEntries(
    fields.flatMap(field => {
      const value = read(field)
      return value === undefined ? [] : [[field.key, value]]
    }),
  )
