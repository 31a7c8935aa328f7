// The settings that website monitors of both generations share, as clients send them (spec A, Website monitor; D 1, Validation).
import { type Static, Type } from 'typebox'
import { type WebsiteCheck, WebsiteMethod } from '#shared/contracts/website.ts'
import { isHttpUrl } from '#shared/http-url.ts'
import { limits } from '#shared/limits.ts'
import { isMediaType } from '#shared/media-type.ts'
import { hasHiddenCharacters } from '#shared/plain-text.ts'
import type { ValueWords } from '../field-values.ts'
import { Maybe, Needed, required } from '../fields.ts'

const bounds = limits.website
const methods = [...WebsiteMethod.enum]

/** Empty: the usual one. */
const isContentType = (text: string): boolean => text === '' || (text.length <= bounds.contentTypeCharacters && isMediaType(text))

/** Unknown fields are ignored: clients send back what they read, `id` and `kind` included. */
export const SettingsBody = Type.Object({
  name: Needed(
    Type.String({ minLength: 1, maxLength: bounds.nameCharacters, fits: (text: string) => !hasHiddenCharacters(text) }),
  ),
  interval: Needed(Type.Number({ minimum: bounds.intervalSecondsMin, maximum: bounds.intervalSecondsMax, multipleOf: 60 })),
  request: Needed(
    Type.Object({
      url: Needed(
        Type.String({
          minLength: 1,
          maxLength: bounds.urlCharacters,
          description: 'http or https.',
          fits: (text: string) => isHttpUrl(text, bounds.urlCharacters),
        }),
      ),
      method: Needed(Type.Enum(methods, { type: 'string' })),
      content_type: Maybe(Type.String({ maxLength: bounds.contentTypeCharacters, fits: isContentType })),
      data: Maybe(
        Type.String({
          maxLength: bounds.dataBytes,
          description: `At most ${bounds.dataBytes} bytes.`,
          fits: (text: string) => Buffer.byteLength(text) <= bounds.dataBytes,
        }),
      ),
    }),
  ),
  response: Needed(
    Type.Object({
      statuses: Needed(
        Type.Array(Type.Number({ minimum: 100, maximum: 599, multipleOf: 1 }), { minItems: 1, maxItems: bounds.statusesMax }),
      ),
      body: Maybe(Type.Object({ content: Maybe(Type.String({ maxLength: bounds.expectedTextCharacters })) })),
    }),
  ),
})

/** Of a creation; an update ignores it. */
export const InWorkspace = { workspace_id: Needed(Type.String({ minLength: 1 })) }

/** Locations or regions, by name. */
export const PlacesBody = Type.Array(Type.String(), { maxItems: bounds.locationsMax })

const tooManyPlaces = `must hold at most ${bounds.locationsMax} names`

/** The sentence for a value that its schema refuses. */
export const settingsWords: ValueWords = {
  name: {
    unfit: 'must have no control or invisible characters',
    outOfBounds: `must have 1 to ${bounds.nameCharacters} characters`,
  },
  interval: `must be whole minutes in seconds, ${bounds.intervalSecondsMin} to ${bounds.intervalSecondsMax}`,
  'request.url': `must be a valid http or https URL of at most ${bounds.urlCharacters} characters`,
  'request.method': `must be one of ${methods.join(', ')}`,
  'request.content_type': `must be a MIME type of at most ${bounds.contentTypeCharacters} characters`,
  'request.data': `must have at most ${bounds.dataBytes} bytes`,
  'response.statuses': `must hold 1 to ${bounds.statusesMax} whole numbers, 100 to 599`,
  'response.body.content': `must have at most ${bounds.expectedTextCharacters} characters`,
  locations: tooManyPlaces,
  regions: tooManyPlaces,
}

export interface WebsiteSettings {
  name: string
  check: Omit<WebsiteCheck, 'locations' | 'failure_mode' | 'confirm_after' | 'recover_after'>
}

/** Of a body whose values were looked at. */
export const settingsOf = ({ name, interval, request, response }: Static<typeof SettingsBody>): WebsiteSettings => ({
  name: required(name, 'name'),
  check: {
    interval_value: required(interval, 'interval') / 60,
    interval_unit: 'MINUTE',
    url: required(request?.url, 'request.url'),
    method: required(request?.method, 'request.method'),
    content_type: request?.content_type || 'application/json',
    data: request?.data ?? '',
    statuses: required(response?.statuses, 'response.statuses'),
    expected_text: response?.body?.content ?? '',
  },
})
