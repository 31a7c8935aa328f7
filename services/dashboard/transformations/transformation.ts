// Transformations, and the destinations that use them, as generation 2 serves them. Also sentences about these uses.
import { askV2 } from '../data/api-v2.ts'

export interface Transformation {
  id: number
  name: string
  template: string
  content_type: 'application/json' | 'text/plain'
}

/** A destination with all its fields, including the URL, because a change replaces the whole destination. */
export interface Receiver {
  id: number
  name: string
  channel: string
  url: string
  transformation_id: number | null
}

export interface Sample {
  label: string
  fields: Readonly<Record<string, string>>
}

export interface Preview {
  passed: boolean
  results: readonly ({ label: string } & ({ ok: true; output: string } | { ok: false; error: string }))[]
}

const all = '/notifications/transformations'
const receivers = '/notifications/destinations'

export interface Read {
  transformations: readonly Transformation[]
  receivers: readonly Receiver[]
}

export async function readAll(): Promise<Read> {
  const [transformations, found] = await Promise.all([askV2<Transformation[]>('GET', all), askV2<Receiver[]>('GET', receivers)])
  return { transformations, receivers: found }
}

export const readSamples = (): Promise<readonly Sample[]> => askV2('GET', `${all}/samples`)

export const previewTemplate = (template: string, signal: AbortSignal): Promise<Preview> =>
  askV2('POST', `${all}/preview`, { template }, signal)

/** Saves a transformation. `id`: the transformation to change; null: creates a new transformation. */
export const saveTransformation = (id: number | null, fields: { name: string; template: string }): Promise<Transformation> =>
  askV2('POST', id === null ? all : `${all}/${id}`, fields)

export const deleteTransformation = (id: number): Promise<unknown> => askV2('DELETE', `${all}/${id}`)

/**
 * Sets the transformation of a destination. With null, the destination gets the built-in message. The other fields of the destination stay.
 */
export async function giveTransformation(receiverId: number, transformationId: number | null): Promise<void> {
  const { name, channel, url } = await askV2<Receiver>('GET', `${receivers}/${receiverId}`)
  const body = { name, channel, url, ...(transformationId === null ? {} : { transformation_id: transformationId }) }
  await askV2('POST', `${receivers}/${receiverId}`, body)
}

export const usersOf = ({ id }: Pick<Transformation, 'id'>, of: readonly Receiver[]): readonly Receiver[] =>
  of.filter(one => one.transformation_id === id)

/** Returns a sentence such as `Used by Ops and Pager.` */
export function usedBy(names: readonly string[]): string {
  return names.length === 0 ? 'No destination uses it.' : `Used by ${listed(names)}.`
}

/** Returns a sentence about the effect of a transformation's deletion. `names`: destinations that use the transformation. */
export const lossOf = (names: readonly string[]): string =>
  names.length === 0
    ? 'No destination uses it. Its template is lost.'
    : `Its template is lost. From then on ${listed(names)} ${names.length === 1 ? 'gets' : 'get'} the usual message.`

function listed(names: readonly string[]): string {
  const last = names.at(-1) ?? ''
  return names.length < 2 ? last : `${names.slice(0, -1).join(', ')} and ${last}`
}

/**
 * Returns the error that all samples have in common; such an error is a fault of the template. Returns null if the samples have different
 * errors or no error.
 */
export function sharedError({ results }: Preview): string | null {
  const errors = new Set(results.map(result => (result.ok ? null : result.error)))
  const [only = null] = errors
  return errors.size === 1 ? only : null
}
