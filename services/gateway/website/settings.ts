// Settings of a website monitor that generations 1 and 2 share, as clients send them (reference/website-monitors 2.1).
import { type Static, Type } from 'typebox'
import { type WebsiteCheck, WebsiteMethod } from '#shared/contracts/subjects/website.ts'
import { limits } from '#shared/limits/limits.ts'
import { isHttpUrl } from '#shared/net/http-url.ts'
import { isMediaType } from '#shared/net/media-type.ts'
import { hasHiddenCharacters } from '#shared/text/plain-text.ts'
import { Maybe, marks } from '../body/field-values.ts'

const bounds = limits.website
const methods = [...WebsiteMethod.enum]

/** Whether the text is a content type or empty. The empty text means the default content type. */
const isContentType = (text: string): boolean => text === '' || (text.length <= bounds.contentTypeCharacters && isMediaType(text))

/** Returns options of a schema that refuse a text if `fits` returns false. Length limits are checked separately. */
const onlyIf = (fits: (text: string) => boolean, refusal: string) =>
  marks({ refusal, faultOf: (text: string) => (fits(text) ? null : refusal) })

/** Unknown fields are ignored, because clients send back everything that they have read, including `id` and `kind`. */
export const SettingsBody = Type.Object({
  name: Type.String({
    minLength: 1,
    maxLength: bounds.nameCharacters,
    ...marks({
      emptyIsMissing: true,
      refusal: `must have 1 to ${bounds.nameCharacters} characters`,
      faultOf: (text: string) => (hasHiddenCharacters(text) ? 'must have no control or invisible characters' : null),
    }),
  }),
  interval: Type.Number({
    minimum: bounds.intervalSecondsMin,
    maximum: bounds.intervalSecondsMax,
    multipleOf: 60,
    ...marks({ refusal: `must be whole minutes in seconds, ${bounds.intervalSecondsMin} to ${bounds.intervalSecondsMax}` }),
  }),
  request: Type.Object({
    url: Type.String({
      minLength: 1,
      maxLength: bounds.urlCharacters,
      description: 'http or https.',
      ...marks({ emptyIsMissing: true }),
      ...onlyIf(
        text => isHttpUrl(text, bounds.urlCharacters),
        `must be a valid http or https URL of at most ${bounds.urlCharacters} characters`,
      ),
    }),
    method: Type.Enum(methods, {
      type: 'string',
      ...marks({ emptyIsMissing: true, refusal: `must be one of ${methods.join(', ')}` }),
    }),
    content_type: Maybe(
      Type.String({
        maxLength: bounds.contentTypeCharacters,
        ...onlyIf(isContentType, `must be a MIME type of at most ${bounds.contentTypeCharacters} characters`),
      }),
    ),
    data: Maybe(
      Type.String({
        maxLength: bounds.dataBytes,
        description: `At most ${bounds.dataBytes} bytes.`,
        ...onlyIf(text => Buffer.byteLength(text) <= bounds.dataBytes, `must have at most ${bounds.dataBytes} bytes`),
      }),
    ),
  }),
  response: Type.Object({
    statuses: Type.Array(Type.Number({ minimum: 100, maximum: 599, multipleOf: 1 }), {
      minItems: 1,
      maxItems: bounds.statusesMax,
      ...marks({ refusal: `must hold 1 to ${bounds.statusesMax} whole numbers, 100 to 599` }),
    }),
    body: Maybe(
      Type.Object({
        content: Maybe(
          Type.String({
            maxLength: bounds.expectedTextCharacters,
            ...marks({ refusal: `must have at most ${bounds.expectedTextCharacters} characters` }),
          }),
        ),
      }),
    ),
  }),
})

/** Workspace of a new monitor; ignored in an update. */
export const InWorkspace = { workspace_id: Type.String({ minLength: 1 }) }

export const PlacesBody = Type.Array(Type.String(), {
  maxItems: bounds.locationsMax,
  ...marks({ refusal: `must hold at most ${bounds.locationsMax} names` }),
})

export interface WebsiteSettings {
  name: string
  check: Omit<WebsiteCheck, 'locations' | 'failure_mode' | 'confirm_after' | 'recover_after'>
}

export const settingsOf = ({ name, interval, request, response }: Static<typeof SettingsBody>): WebsiteSettings => ({
  name,
  check: {
    interval_value: interval / 60,
    interval_unit: 'MINUTE',
    url: request.url,
    method: request.method,
    content_type: request.content_type || 'application/json',
    data: request.data ?? '',
    statuses: response.statuses,
    expected_text: response.body?.content ?? '',
  },
})
