// The settings that website monitors of both generations share, as clients send them (spec A, Website monitor; D 1, Validation).
import { type Static, Type } from 'typebox'
import { type WebsiteCheck, WebsiteMethod } from '#shared/contracts/website.ts'
import { isHttpUrl } from '#shared/http-url.ts'
import { limits } from '#shared/limits.ts'
import { hasHiddenCharacters } from '#shared/plain-text.ts'
import { characters, invalidField, Maybe, Needed, required } from '../fields.ts'

const bounds = limits.website
const methods: readonly string[] = WebsiteMethod.enum

/**
 * Unknown fields are ignored: clients send back what they read, `id` and `kind` included. Bounds are declared for the API's document;
 * the readers below judge them.
 */
export const SettingsBody = Type.Object({
  name: Needed(Type.String({ minLength: 1, maxLength: bounds.nameCharacters })),
  interval: Needed(Type.Number({ minimum: bounds.intervalSecondsMin, maximum: bounds.intervalSecondsMax, multipleOf: 60 })),
  request: Needed(
    Type.Object({
      url: Needed(Type.String({ minLength: 1, maxLength: bounds.urlCharacters, description: 'http or https.' })),
      method: Needed(Type.String({ enum: [...methods] })),
      content_type: Maybe(Type.String({ maxLength: bounds.contentTypeCharacters })),
      data: Maybe(Type.String({ maxLength: bounds.dataBytes, description: `At most ${bounds.dataBytes} bytes.` })),
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

type Body = Static<typeof SettingsBody>

export interface WebsiteSettings {
  name: string
  check: Omit<WebsiteCheck, 'locations' | 'failure_mode' | 'confirm_after' | 'recover_after'>
}

/** Throws validation (2001) for the first field that is missing or wrong. */
export function readSettings(sent: Body): WebsiteSettings {
  return {
    name: readName(sent),
    check: {
      interval_value: readInterval(sent) / 60,
      interval_unit: 'MINUTE',
      url: readUrl(sent),
      method: readMethod(sent),
      content_type: readContentType(sent),
      data: readData(sent),
      statuses: readStatuses(sent),
      expected_text: readExpectedText(sent),
    },
  }
}

/** The names of locations, as sent under the family's field name; absent and null are none. */
export function readPlaces(sent: string[] | null | undefined, field: 'locations' | 'regions'): string[] {
  const value = sent ?? []
  if (value.length <= bounds.locationsMax) return value
  throw invalidField(`Field '${field}' must hold at most ${bounds.locationsMax} names`)
}

function readName({ name }: Body): string {
  const value = required(name, 'name')
  if (hasHiddenCharacters(value)) throw invalidField("Field 'name' must have no control or invisible characters")
  if (characters(value) <= bounds.nameCharacters) return value
  throw invalidField(`Field 'name' must have 1 to ${bounds.nameCharacters} characters`)
}

function readInterval({ interval }: Body): number {
  const value = required(interval, 'interval')
  if (value % 60 === 0 && value >= bounds.intervalSecondsMin && value <= bounds.intervalSecondsMax) return value
  throw invalidField(
    `Field 'interval' must be whole minutes in seconds, ${bounds.intervalSecondsMin} to ${bounds.intervalSecondsMax}`,
  )
}

function readUrl({ request }: Body): string {
  const value = required(request?.url, 'request.url')
  if (isHttpUrl(value, bounds.urlCharacters)) return value
  throw invalidField(`Field 'request.url' must be a valid http or https URL of at most ${bounds.urlCharacters} characters`)
}

function readMethod({ request }: Body): WebsiteMethod {
  const value = required(request?.method, 'request.method')
  if (methods.includes(value)) return value as WebsiteMethod
  throw invalidField(`Field 'request.method' must be one of ${methods.join(', ')}`)
}

function readContentType({ request }: Body): string {
  const value = request?.content_type || 'application/json'
  if (value.length <= bounds.contentTypeCharacters && mimeType.test(value)) return value
  throw invalidField(`Field 'request.content_type' must be a MIME type of at most ${bounds.contentTypeCharacters} characters`)
}

const token = "[!#$%&'*+.^_`|~0-9A-Za-z-]+"
const parameter = `[ \\t]*;[ \\t]*${token}=(?:${token}|"(?:[\\t !#-\\[\\]-~]|\\\\[\\t -~])*")`
const mimeType = new RegExp(`^${token}/${token}(?:${parameter})*$`)

function readData({ request }: Body): string {
  const value = request?.data ?? ''
  if (Buffer.byteLength(value) <= bounds.dataBytes) return value
  throw invalidField(`Field 'request.data' must have at most ${bounds.dataBytes} bytes`)
}

function readStatuses({ response }: Body): number[] {
  const value = required(response?.statuses, 'response.statuses')
  const fits = (status: number) => Number.isInteger(status) && status >= 100 && status <= 599
  if (value.length >= 1 && value.length <= bounds.statusesMax && value.every(fits)) return value
  throw invalidField(`Field 'response.statuses' must hold 1 to ${bounds.statusesMax} whole numbers, 100 to 599`)
}

function readExpectedText({ response }: Body): string {
  const value = response?.body?.content ?? ''
  if (characters(value) <= bounds.expectedTextCharacters) return value
  throw invalidField(`Field 'response.body.content' must have at most ${bounds.expectedTextCharacters} characters`)
}
