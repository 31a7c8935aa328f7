// Rules about several options of a check over HTTP at once. Pure. Reference: docs/reference/v3.md, 3.20.
import { limits } from '#shared/limits/limits.ts'
import { headersOf, isNamed, linesOf } from '#shared/net/header-lines.ts'
import { isCredentialName } from '#shared/secrecy/credential-name.ts'
import type { Refused } from '../check-kind.ts'
import * as fields from './fields.ts'
import { expectedValue, isOrder } from './json-judgement.ts'

/** Returns the first fault of answers that fit their fields; null: there is none. */
export function refuseOptions(answers: Readonly<Record<string, unknown>>): Refused | null {
  const options = fields.withDefaults(answers)
  return faultOfHeaders(options) ?? faultOfCredentials(options) ?? faultOfBody(options) ?? faultOfJson(options)
}

function faultOfHeaders({ headers }: fields.AllOptions): Refused | null {
  const { key } = fields.headers
  const most = limits.check.requestHeaderBytes
  if (headers.join('\r\n').length > most) return { key, fault: `must have at most ${most} bytes together` }
  const credential = headersOf(headers).find(({ name }) => isCredentialName(name))
  if (credential === undefined) return null
  return { key, fault: `has ${credential.name}, which may be a credential: put it into ${fields.secretHeaders.key}` }
}

function faultOfCredentials({ username, password, bearer, secret_headers }: fields.AllOptions): Refused | null {
  const isBasic = username !== '' || password !== ''
  if (isBasic && bearer !== '') {
    return { key: fields.bearer.key, fault: `and ${fields.username.key} exclude each other: leave one of them out` }
  }
  if (!headersOf(linesOf(secret_headers)).some(isNamed('authorization')) || (!isBasic && bearer === '')) return null
  const other = isBasic ? fields.username.key : fields.bearer.key
  return { key: fields.secretHeaders.key, fault: `has Authorization, which ${other} sends: leave one of them out` }
}

function faultOfBody(options: fields.AllOptions): Refused | null {
  if (options.method !== 'HEAD') return null
  const read = [fields.contains, fields.lacks, fields.jsonPath, fields.matches].find(({ key }) => options[key] !== '')
  return read === undefined ? null : { key: read.key, fault: 'is not for HEAD, whose answers have no body: choose GET' }
}

function faultOfJson({ json_path, json_operator, json_value }: fields.AllOptions): Refused | null {
  if (json_path === '' && json_value !== '') {
    return { key: fields.jsonPath.key, fault: `must say where ${fields.jsonValue.key} is expected` }
  }
  if (json_path === '' || !isOrder(json_operator) || typeof expectedValue(json_value) === 'number') return null
  return { key: fields.jsonValue.key, fault: `must be a number if ${fields.jsonOperator.key} is ${json_operator}` }
}
