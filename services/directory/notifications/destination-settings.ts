// Settings of a destination as a request sends them, checked by the fields of its channel. Reference: docs/reference/v3.md, 10.11.
import { faultOfSetting, trimmedSetting } from '#shared/channels/fields.ts'
import type { Channel, ChannelField } from '#shared/channels/port.ts'
import { findChannel } from '#shared/channels/registry.ts'
import { ownFields, topFields } from '#shared/channels/settings.ts'
import { isSteps } from '#shared/channels/steps.ts'
import type { DestinationDocument, SettingStep, SettingValue } from '#shared/contracts/notifications/destination.ts'
import { AppError } from '#shared/errors.ts'
import { hidden } from '#shared/secrecy/redacted-value.ts'
import { holdsSealed } from '#shared/secrecy/sealed-form.ts'
import { faultOfUrl } from './destination-fields.ts'
import { nameKey } from './named.ts'

type Sent = Readonly<Record<string, unknown>>
/** Destinations of the workspace that steps can name. */
export type Known = readonly Pick<DestinationDocument, 'id' | 'name' | 'nameKey' | 'type'>[]
type Stored = Record<string, SettingValue>

/**
 * Returns the settings after a request. `present`: the stored settings; null: the destination is new. Null takes a default back, and
 * `[redacted]` keeps a stored secret. Throws `malformed` for an unknown key, else `validation`, with the field. `known`: destinations of the
 * workspace, of which steps name some.
 */
export function readSettings(channel: Channel, sent: Sent, present: Stored | null, known: Known): Stored {
  requireKnown(channel, sent)
  const fields = ownFields(channel)
  const settings: Stored = {}
  for (const field of fields) {
    const value = sentValue(field, sent[field.key], present, known)
    if (value !== undefined) settings[field.key] = value
    else if (field.isRequired && field.default === undefined) throw faulty(field.key, 'is required')
  }
  const refused = channel.refuse?.(settings) ?? null
  if (refused !== null) throw faulty(refused.key, refused.fault)
  if (present !== null) requireSecretsAnew(fields, sent, present, settings)
  return settings
}

function requireKnown(channel: Channel, sent: Sent): void {
  const known = ownFields(channel).map(({ key }) => key)
  const unknown = Object.keys(sent).find(key => !known.includes(key))
  if (unknown === undefined) return
  if (topFields(channel).some(({ key }) => key === unknown)) throw faulty(unknown, 'is a member of the destination itself')
  throw new AppError('malformed', `Unknown field 'settings.${unknown}'`, { facts: { field: `settings.${unknown}` } })
}

/** Returns the value that a setting has after the request; undefined: it is unset. */
function sentValue(field: ChannelField, sent: unknown, present: Stored | null, known: Known): SettingValue | undefined {
  const { key, mark, type } = field
  if (sent === undefined) return present?.[key]
  if (sent === null) return undefined
  if (mark === 'secret' && sent === hidden) {
    if (present?.[key] !== undefined) return present[key]
    throw faulty(key, 'has no stored value that could stay')
  }
  const fault = faultOfSetting(field, sent)
  if (fault !== null) throw new AppError('validation', fault, { facts: { field: `settings.${key}` } })
  if (mark === 'secret' && holdsSealed(sent)) throw faulty(key, 'must not be in the form of a sealed secret')
  const value = trimmedSetting(sent as SettingValue)
  const wrong = type === 'url' ? faultOfUrl(value as string) : null
  if (wrong !== null) throw new AppError('validation', wrong, { facts: { field: `settings.${key}` } })
  if (isSteps(value)) return value.map((step, i) => ({ ...step, destination: stepAt(key, i, value, known) }))
  return value === '' ? undefined : value
}

/** Returns the id of the destination that a step names by its id or its name. */
function stepAt(key: string, i: number, steps: readonly SettingStep[], known: Known): string {
  const found = namedIn(steps[i]?.destination ?? '', known)
  const shown = `step ${i + 1}, "${steps[i]?.destination}",`
  if (found === undefined) throw faulty(key, `names no destination of this workspace in ${shown.slice(0, -1)}`)
  if (findChannel(found.type)?.stepsOf !== undefined) throw faulty(key, `must name destinations that send: ${shown} does not`)
  const isTwice = steps.slice(0, i).some(({ destination }) => namedIn(destination, known)?.id === found.id)
  if (isTwice) throw faulty(key, `must name a destination once: ${shown} stands there before`)
  return found.id
}

const namedIn = (text: string, known: Known) =>
  known.find(({ id }) => id === text) ?? known.find(one => one.nameKey === nameKey(text))

/** A changed address would otherwise let an editor send the stored secrets to a stranger. */
function requireSecretsAnew(fields: readonly ChannelField[], sent: Sent, present: Stored, settings: Stored): void {
  const moved = fields.find(({ key, mark, type }) => mark === 'address' && type === 'url' && present[key] !== settings[key])
  if (moved === undefined) return
  const kept = keptSecret(fields, sent, settings)
  if (kept !== undefined) throw faulty(kept.key, `must be sent anew, because ${moved.key} changes`)
}

/** Whether the API shows settings of the destination: those of types that have a member `url` only if there are some. */
export const hasSettings = (channel: Channel, settings: object = {}): boolean =>
  ownFields(channel).length > 0 && (topFields(channel).length === 0 || Object.keys(settings).length > 0)

const isElsewhere = (present: string, url: string): boolean => URL.parse(present)?.origin !== URL.parse(url)?.origin

/** Returns the settings of a destination whose address is replaced by a generation that does not show them: without secrets for another origin. */
export function settingsAfterMove(
  { type, url: present, settings }: Pick<DestinationDocument, 'type' | 'url' | 'settings'>,
  url: string,
): Pick<DestinationDocument, 'settings'> {
  const channel = findChannel(type)
  if (settings === undefined || channel === null || !isElsewhere(present, url)) return {}
  const secrets = new Set(ownFields(channel).flatMap(({ key, mark }) => (mark === 'secret' ? [key] : [])))
  return { settings: Object.fromEntries(Object.entries(settings).filter(([key]) => !secrets.has(key))) }
}

interface Moved {
  present: Pick<DestinationDocument, 'url' | 'settings'>
  url: string
  sent: Sent
  /** After the request; undefined: as stored. */
  settings: Stored | undefined
}

/** Throws if the address moves to another origin, and a secret would go there that was not sent for it. */
export function requireSecretsSentFor(channel: Channel, { present, url, sent, settings = present.settings }: Moved): void {
  if (settings === undefined || !isElsewhere(present.url, url)) return
  const kept = keptSecret(ownFields(channel), sent, settings)
  if (kept !== undefined) throw faulty(kept.key, 'must be sent anew, because url changes')
}

/** Returns the first secret that stays without being sent. */
const keptSecret = (fields: readonly ChannelField[], sent: Sent, settings: Readonly<Stored>): ChannelField | undefined =>
  fields.find(
    ({ key, mark }) => mark === 'secret' && settings[key] !== undefined && (sent[key] === undefined || sent[key] === hidden),
  )

const faulty = (key: string, why: string) =>
  new AppError('validation', `Field 'settings.${key}' ${why}`, { facts: { field: `settings.${key}` } })
