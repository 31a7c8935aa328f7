// A notification destination as clients send it (spec D 2). What the directory knows (names, URLs, transformations) it judges itself.
import { type Static, type TProperties, Type } from 'typebox'
import { AppError } from '#shared/errors.ts'
import { limits } from '#shared/limits.ts'
import { Maybe, Needed, required } from '../fields.ts'
import { Unset, unlessUnset, WorkspaceId } from './notification-fields.ts'

const bounds = limits.destination

const replaceable = {
  workspace_id: WorkspaceId,
  name: Needed(Type.String({ minLength: 1, maxLength: bounds.nameCharacters })),
  url: Needed(Type.String({ minLength: 1, maxLength: bounds.urlCharacters, description: 'http or https, without credentials.' })),
  channel: Maybe(Type.String({ maxLength: bounds.channelCharacters, description: 'Of a Slack destination; empty: its own.' })),
  default: Unset(Type.Boolean({ description: 'True makes it the default; false leaves the mark as it is.' })),
  transformation_id: Unset(Type.Number({ multipleOf: 1 })),
} satisfies TProperties

/** Unknown fields are refused here (spec D 1, Validation). */
const Closed = <P extends TProperties>(properties: P) => Type.Object(properties, { additionalProperties: false })

export const UpdateDestinationBody = Closed(replaceable)
export const CreateDestinationBody = Closed({ ...replaceable, destination_type: Needed(Type.Enum(['slack', 'webhook'])) })
export const SwitchDestinationBody = Closed({ workspace_id: WorkspaceId, enabled: Needed(Type.Boolean()) })
export const NoFieldsBody = Closed({ workspace_id: WorkspaceId })

export function readNewDestination(sent: Static<typeof CreateDestinationBody>) {
  const fields = readDestination(sent)
  const sentType: string | null | undefined = sent.destination_type
  const type = sentType === '' ? '' : required(sentType, 'destination_type')
  if (type === 'slack' || type === 'webhook') return { ...fields, type } as const
  throw new AppError('validation', 'Invalid destination type', { details: 'destination_type must be slack or webhook' })
}

export const readEnabled = (sent: Static<typeof SwitchDestinationBody>): boolean => required(sent.enabled, 'enabled')

export function readDestination(sent: Static<typeof UpdateDestinationBody>) {
  const transformationId = unlessUnset(sent.transformation_id, 'transformation_id')
  const isDefault = unlessUnset(sent.default, 'default') ?? false
  // Empty is there, and wrong: the directory says how.
  const name = sent.name === '' ? '' : required(sent.name, 'name')
  const url = sent.url === '' ? '' : required(sent.url, 'url')
  if (transformationId !== null && !Number.isSafeInteger(transformationId)) {
    throw new AppError('not_found', 'Transformation not found', { details: 'A transformation id is a whole number' })
  }
  return { name, url, channel: sent.channel ?? '', default: isDefault, transformationId }
}
