// Settings of a website monitor that generations 1 and 2 share, as clients send them (reference/website-monitors 2.1): their own names and
// words for fields of the check. They have no other fields, and never get more.
import { type Static, Type } from 'typebox'
import type { CheckField } from '#shared/checks/check-field.ts'
import { faultOf } from '#shared/checks/field-values.ts'
import { locations } from '#shared/checks/watch-fields.ts'
import { contentType, data, expectedText, method, statuses, url } from '#shared/checks/website/fields.ts'
import type { WebsiteCheck } from '#shared/checks/website/website.ts'
import { limits } from '#shared/limits/limits.ts'
import { hasHiddenCharacters } from '#shared/text/plain-text.ts'
import { Maybe, marks } from '../body/field-values.ts'

const bounds = limits.website
const [fewest, most] = statuses.items
const [leastStatus, mostStatus] = statuses.each

/** Returns options of a schema that refuse a value which the field of the check refuses. */
const onlyIfFits = (field: CheckField, refusal: string) =>
  marks({ refusal, faultOf: value => (faultOf(field, value) === null ? null : refusal) })

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
      maxLength: url.characters,
      description: 'http or https.',
      ...marks({ emptyIsMissing: true }),
      ...onlyIfFits(url, `must be a valid http or https URL of at most ${url.characters} characters`),
    }),
    method: Type.Enum([...method.options], {
      type: 'string',
      ...marks({ emptyIsMissing: true, refusal: `must be one of ${method.options.join(', ')}` }),
    }),
    content_type: Maybe(
      Type.String({
        maxLength: contentType.characters,
        ...onlyIfFits(contentType, `must be a MIME type of at most ${contentType.characters} characters`),
      }),
    ),
    data: Maybe(
      Type.String({
        maxLength: data.bytes,
        description: `At most ${data.bytes} bytes.`,
        ...onlyIfFits(data, `must have at most ${data.bytes} bytes`),
      }),
    ),
  }),
  response: Type.Object({
    statuses: Type.Array(Type.Number({ minimum: leastStatus, maximum: mostStatus, multipleOf: 1 }), {
      minItems: fewest,
      maxItems: most,
      ...marks({ refusal: `must hold ${fewest} to ${most} whole numbers, ${leastStatus} to ${mostStatus}` }),
    }),
    body: Maybe(
      Type.Object({
        content: Maybe(
          Type.String({
            maxLength: expectedText.characters,
            ...marks({ refusal: `must have at most ${expectedText.characters} characters` }),
          }),
        ),
      }),
    ),
  }),
})

/** Workspace of a new monitor; ignored in an update. */
export const InWorkspace = { workspace_id: Type.String({ minLength: 1 }) }

export const PlacesBody = Type.Array(Type.String(), {
  maxItems: locations.items[1],
  ...marks({ refusal: `must hold at most ${locations.items[1]} names` }),
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
