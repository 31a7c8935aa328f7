// A website monitor as clients send it (spec A, Website monitor; D 1, Validation), read into the unified model's meta.
import { type Static, Type } from 'typebox'
import { type FailureMode, type WebsiteMeta, WebsiteMethod } from '#shared/contracts/website.ts'
import { AppError } from '#shared/errors.ts'
import { isHttpUrl } from '#shared/http-url.ts'
import { limits } from '#shared/limits.ts'
import { characters, invalidField, Maybe, required, shapeReader } from '../fields.ts'

/** Unknown fields are ignored: clients send back what they read, `id` and `kind` included. */
const Body = Type.Object({
  name: Maybe(Type.String()),
  interval: Maybe(Type.Number()),
  request: Maybe(
    Type.Object({
      url: Maybe(Type.String()),
      method: Maybe(Type.String()),
      content_type: Maybe(Type.String()),
      data: Maybe(Type.String()),
    }),
  ),
  response: Maybe(
    Type.Object({
      statuses: Maybe(Type.Array(Type.Number())),
      body: Maybe(Type.Object({ content: Maybe(Type.String()) })),
    }),
  ),
  locations: Maybe(Type.Array(Type.String())),
  agreement: Maybe(Type.String()),
})
type Body = Static<typeof Body>

export type Agreement = 'any' | 'majority' | 'all'

export interface WebsiteInput {
  name: string
  meta: Omit<WebsiteMeta, 'locations' | 'failure_mode' | 'confirm_after' | 'recover_after'>
  /** Names, as sent. */
  locations: string[]
  /** Null where none was sent. */
  failureMode: FailureMode | null
}

const failureModes: Record<Agreement, FailureMode> = { any: 'at_least_one', majority: 'majority', all: 'all' }
const methods: readonly string[] = WebsiteMethod.enum
const bounds = limits.website
const readShape = shapeReader(Body)

/** Throws malformed (2006) for a wrong JSON type anywhere, else validation (2001) for the first field that is missing or wrong. */
export function readWebsite(body: Record<string, unknown>): WebsiteInput {
  const sent = readShape(body)
  return {
    name: readName(sent),
    meta: {
      interval_value: readInterval(sent) / 60,
      interval_unit: 'MINUTE',
      url: readUrl(sent),
      method: readMethod(sent),
      content_type: readContentType(sent),
      data: readData(sent),
      statuses: readStatuses(sent),
      expected_text: readExpectedText(sent),
    },
    locations: readLocations(sent),
    failureMode: readAgreement(sent),
  }
}

export const agreementOf = (mode: FailureMode): Agreement => (mode === 'at_least_one' ? 'any' : mode)

function readName({ name }: Body): string {
  const value = required(name, 'name')
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

function readLocations({ locations }: Body): string[] {
  const value = locations ?? []
  if (value.length <= bounds.locationsMax) return value
  throw invalidField(`Field 'locations' must hold at most ${bounds.locationsMax} names`)
}

function readAgreement({ agreement }: Body): FailureMode | null {
  if (agreement === null || agreement === undefined) return null
  if (Object.hasOwn(failureModes, agreement)) return failureModes[agreement as Agreement]
  throw new AppError('validation', 'invalid agreement', { details: 'agreement must be any, majority or all' })
}
