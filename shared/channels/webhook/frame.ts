// Method and headers of a webhook's requests, as its settings state them. Pure. Rules: docs/reference/v3.md, 10.17.
import { type RequestMethod, requestMethods } from '#shared/contracts/notifications/delivery.ts'
import { type Header, headerOf, headersOf } from '#shared/net/header-lines.ts'
import { isCredentialName } from '#shared/secrecy/credential-name.ts'
import type { ChannelField, RenderedRequest, Settings } from '../port.ts'
import { slot } from '../slots.ts'

const usual: RequestMethod = 'POST'
const headersMax = 16
const headerCharacters = 1_100

/** Headers that the sender states itself. */
const own = /^(host|content-type|idempotency-key|webhook-.*)$/i

const isFree = ({ name }: Header): boolean => !own.test(name)

const method: ChannelField = {
  key: 'method',
  label: 'Method',
  help: 'Of the requests. A GET has no body and no signature.',
  type: 'enum',
  mark: 'shape',
  options: requestMethods,
  default: usual,
}
const headers: ChannelField = {
  key: 'headers',
  label: 'Headers',
  help: 'Such as X-Team: core. Credentials are secret headers.',
  type: 'string_list',
  mark: 'shape',
  max: headersMax,
  characters: headerCharacters,
  fits: line => {
    const header = headerOf(line)
    return header !== null && isFree(header) && !isCredentialName(header.name)
  },
  must: 'hold lines as `Name: value`, without credentials and without headers that the sender states itself',
}
const secretHeaders: ChannelField = {
  ...headers,
  key: 'secret_headers',
  label: 'Secret headers',
  help: 'Such as Authorization: Bearer 1234.',
  mark: 'secret',
  fits: line => {
    const header = headerOf(line)
    return header !== null && isFree(header)
  },
  must: 'hold lines as `Name: value`, without headers that the sender states itself',
}

export const frameFields: readonly ChannelField[] = [method, headers, secretHeaders]

/** Returns the request with the method and the headers of the settings. */
export function framed(request: RenderedRequest, settings: Settings): RenderedRequest {
  const stated = settings[method.key] ?? usual
  const wanted = requestMethods.find(one => one === stated) ?? usual
  const lines = settings[headers.key]
  const named = headersOf(Array.isArray(lines) ? lines.filter(line => typeof line === 'string') : [])
  return {
    ...request,
    method: wanted,
    headers: { ...request.headers, ...Object.fromEntries(named.map(({ name, value }) => [name.toLowerCase(), value])) },
    ...(settings[secretHeaders.key] === undefined ? {} : { headerLines: slot(secretHeaders.key) }),
  }
}
