// Bodies of requests about notification destinations (reference/messages 1.4). The directory checks names, URLs and transformations.

import { type Static, type TProperties, Type } from 'typebox'
import { Strict } from '#shared/contracts/common.ts'
import { limits } from '#shared/limits/limits.ts'
import { Maybe, marks } from '../body/field-values.ts'
import { destinationTypes, Unset, unlessUnset, WorkspaceId } from './notification-fields.ts'

const bounds = limits.destination

const noTransformation = {
  code: 'not_found',
  message: 'Transformation not found',
  details: 'A transformation id is a whole number',
} as const

const replaceable = {
  workspace_id: WorkspaceId,
  name: Type.String({ minLength: 1, maxLength: bounds.nameCharacters }),
  url: Type.String({ minLength: 1, maxLength: bounds.urlCharacters, description: 'http or https, without credentials.' }),
  channel: Maybe(Type.String({ maxLength: bounds.channelCharacters, description: 'Of a Slack destination; empty: its own.' })),
  transformation_id: Unset(
    Type.Number({ multipleOf: 1 }),
    marks({ faultOf: id => (id === '' || Number.isSafeInteger(id) ? null : noTransformation) }),
  ),
  default: Unset(Type.Boolean({ description: 'True makes it the default; false leaves the mark as it is.' })),
} satisfies TProperties

/** Unknown fields are refused (reference/envelope 5.4). */
export const UpdateDestinationBody = Strict(replaceable)
export const CreateDestinationBody = Strict({
  ...replaceable,
  destination_type: Type.Enum(
    destinationTypes,
    marks({
      refusal: { message: 'Invalid destination type', details: `destination_type must be ${destinationTypes.join(' or ')}` },
    }),
  ),
})
export const SwitchDestinationBody = Strict({ workspace_id: WorkspaceId, enabled: Type.Boolean() })
export const NoFieldsBody = Strict({ workspace_id: WorkspaceId })

export const readDestination = ({ name, url, ...sent }: Static<typeof UpdateDestinationBody>) => ({
  name,
  url,
  channel: sent.channel ?? '',
  default: unlessUnset(sent.default) ?? false,
  transformationId: unlessUnset(sent.transformation_id),
})

export const readNewDestination = (sent: Static<typeof CreateDestinationBody>) => ({
  ...readDestination(sent),
  type: sent.destination_type,
})
