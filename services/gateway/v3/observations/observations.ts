// Routes that accept reports: a single Observation, or up to 500 Observations of several Resources. Reference: docs/reference/v3.md,
// section 7.

import { type Static, Type } from 'typebox'
import { SignalName, Strict } from '#shared/contracts/common.ts'
import type { SentObservation } from '#shared/contracts/resources/resource-commands.ts'
import type { ObservedResult } from '#shared/contracts/resources/resource-views.ts'
import { AppError, type ErrorCode } from '#shared/errors.ts'
import { limits } from '#shared/limits/limits.ts'
import { redactedText } from '#shared/secrecy/redacted-text.ts'
import { firstCharacters } from '#shared/text/plain-text.ts'
import { Answered } from '../../body/result-schema.ts'
import { parseTimestamp } from '../../body/rfc3339.ts'
import type { GatewayContext } from '../../context.ts'
import { commandId } from '../../subjects/command-id.ts'
import { invalid, route } from '../common.ts'
import { v3Dialect } from '../dialect.ts'
import { fitting } from '../read-body.ts'
import { findReported, type ReportedResource, rememberReported, resourceNotFound } from '../resources/reported-resources.ts'

export const observation = {
  signal: SignalName,
  state: Type.Enum(['ok', 'problem', 'no_data']),
  kind: Type.Optional(Type.Enum(['heartbeat', 'periodic', 'event'])),
  value: Type.Optional(Type.Number()),
  labels: Type.Optional(Type.Object({}, { additionalProperties: true, description: 'Texts by key, 64 at most.' })),
  reason: Type.Optional(Type.String()),
  body: Type.Optional(Type.Object({}, { additionalProperties: true, description: 'At most 16 KiB.' })),
  at: Type.Optional(Type.String({ description: 'RFC 3339 with a zone; the time of arrival unless sent.' })),
  id: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 128,
      plain: 'line',
      description: 'Of the sender: the same id again stores nothing. No control characters.',
    }),
  ),
}
const Observation = Strict(observation)
const BatchItem = Strict({ resource: Type.String({ minLength: 1, maxLength: 128 }), ...observation })

const batchItems = { minItems: 1, maxItems: 500 }

const taken = {
  resource: Type.String({ description: 'Its id.', examples: ['aB3dE6gH9k'] }),
  signal: Type.String({ examples: ['s1'] }),
  observation: Type.String({ examples: ['OBSERVATION_ID'] }),
  created_signal: Type.Boolean(),
}
export const Accepted = Answered('AcceptedObservation', taken)
/** Refusal of one item, in the same form in which the route for a single Observation refuses. */
const ItemRefusal = Answered('ItemRefusal', {
  code: Type.Integer(),
  error_type: Type.String(),
  message: Type.String(),
  details: Type.Record(Type.String(), Type.Unknown()),
})
const index = Type.Integer({ minimum: 0, description: 'Its place in the batch, from 0.' })
const BatchResult = Answered('BatchResult', {
  accepted: Type.Integer(),
  rejected: Type.Integer({ examples: [0] }),
  results: Type.Array(
    Type.Union([
      Answered('AcceptedItem', { index, status: Type.Literal('accepted'), ...taken }),
      Answered('RejectedItem', { index, status: Type.Literal('rejected'), error: ItemRefusal }),
    ]),
  ),
})

const single = route('POST', '/workspaces/:workspace/resources/:resource/observations', {
  summary: 'Reports an Observation of one of the signals of the Resource.',
  more: 'An archived Resource accepts none: 422 `resource`.',
  needs: { role: 'editor', scope: 'observe' },
  find: findReported,
  memory: rememberReported,
  body: Observation,
  status: 202,
  result: Accepted,
  refusals: ['422 resource', '422 signal', '422 kind', '422 at', '422 labels', '422 body'],
  takesObservations: true,
  examples: [{ signal: 'beat', state: 'ok' }],
  handler: async ({ keeper }, { found, body, traceId }) => {
    const sent = sentObservation(body)
    requireUnarchived(found)
    const { results } = await keeper.send(found.id, { kind: 'observe', id: commandId(), observations: [sent] }, traceId)
    const [result] = results
    if (result?.ok) return accepted(found.id, result)
    throw refusalOf(result)
  },
})

const batch = route('POST', '/workspaces/:workspace/observations', {
  summary: 'Reports up to 500 Observations. One that is refused refuses no other.',
  needs: { role: 'editor', scope: 'observe' },
  body: Strict({ observations: Type.Array(Type.Unknown(), { ...batchItems, documented: Type.Array(BatchItem, batchItems) }) }),
  bodyBytes: limits.http.bodyBytes,
  budgetMs: limits.v3.batchAnswerMs,
  result: BatchResult,
  refusals: ['422 observations'],
  takesObservations: true,
  examples: [{ observations: [{ resource: 'backup-1', signal: 'beat', state: 'problem', reason: 'disk full' }] }],
  handler: async (context, { workspaceId, body, traceId }) => {
    const items = body.observations.map(readItem)
    const outcomes = await takeAll(context, items, { workspaceId, traceId })
    const results = outcomes.map((outcome, index) =>
      'error' in outcome
        ? { index, status: 'rejected', error: shownError(outcome.error) }
        : { index, status: 'accepted', ...outcome.accepted },
    )
    const rejected = outcomes.filter(outcome => 'error' in outcome).length
    return { accepted: results.length - rejected, rejected, results }
  },
})

type Item = { resource: string; sent: SentObservation } | { error: unknown }
type Outcome = { accepted: ReturnType<typeof accepted> } | { error: unknown }

/** Reads one item. If the item has a fault, only this item is refused, with the refusal of the route for a single Observation. */
function readItem(value: unknown): Item {
  try {
    if (typeof value !== 'object' || value === null || Array.isArray(value))
      throw new AppError('malformed', 'An item must be a JSON object')
    const item = fitting(BatchItem, value)
    return { resource: item.resource, sent: sentObservation(item) }
  } catch (error) {
    return { error }
  }
}

/**
 * Reports all items. Items of one Resource are sent in one message, in their order. Messages for different Resources are sent in parallel.
 */
async function takeAll(
  { directory, keeper }: GatewayContext,
  items: readonly Item[],
  { workspaceId, traceId }: { workspaceId: string; traceId: string },
): Promise<Outcome[]> {
  const references = [...new Set(items.flatMap(item => ('error' in item ? [] : [item.resource])))]
  const resolved = references.length === 0 ? [] : await directory.ask('resolve-resources', { workspaceId, references }, traceId)
  const known = new Map(references.map((reference, i) => [reference, resolved[i] ?? null]))
  const unknown = { error: resourceNotFound() }
  const outcomes: Outcome[] = items.map(item => ('error' in item ? item : unknown))
  const places = new Map<string, number[]>()
  for (const [i, item] of items.entries()) {
    if ('error' in item) continue
    const resource = known.get(item.resource) ?? null
    if (resource === null) continue
    if (resource.archivedAt !== null) outcomes[i] = { error: archived(resource.key) }
    else places.set(resource.id, [...(places.get(resource.id) ?? []), i])
  }
  const takeOne = async ([id, indexes]: [string, number[]]) => {
    const observations = indexes.map(i => (items[i] as { sent: SentObservation }).sent)
    try {
      const { results } = await keeper.send(id, { kind: 'observe', id: commandId(), observations }, traceId)
      for (const [n, i] of indexes.entries()) {
        const result = results[n]
        outcomes[i] = result?.ok ? { accepted: accepted(id, result) } : { error: refusalOf(result) }
      }
    } catch (error) {
      for (const i of indexes) outcomes[i] = { error }
    }
  }
  await Promise.all([...places].map(takeOne))
  return outcomes
}

/** Returns the Observation for the keeper. An optional field sent as null counts as absent (v3 7.6). */
export function sentObservation(sent: Static<typeof Observation>): SentObservation {
  return {
    signal: sent.signal,
    state: sent.state,
    signalKind: sent.kind ?? null,
    sentId: sent.id ?? null,
    atUs: instantOf(sent.at),
    value: sent.value ?? null,
    reason: reasonOf(sent.reason),
    labels: labelsOf(sent.labels as Record<string, unknown> | undefined),
    body: bodyOf(sent.body),
  }
}

function instantOf(at: string | null | undefined): number | null {
  if (at == null) return null
  const read = parseTimestamp(at)
  if (read !== null) return read
  throw invalid('at', "Field 'at' must be an RFC 3339 instant with a zone")
}

/** Returns the reason as one plain line. Secrets in URLs are redacted, and the line is cut to the maximum length of a reason. */
export function reasonOf(reason: string | undefined): string {
  const plain = redactedText((reason ?? '').replace(/\p{Cc}/gu, ' ')).trim()
  return [...plain].length > reasonCharacters ? `${firstCharacters(plain, reasonCharacters - 1)}…` : plain
}

const reasonCharacters = 200

function labelsOf(labels: Record<string, unknown> | undefined): Record<string, string> {
  const entries = Object.entries(labels ?? {})
  if (entries.length <= 64 && entries.every(isLabel)) return Object.fromEntries(entries) as Record<string, string>
  throw invalid('labels', "Labels are at most 64 texts of at most 256 characters; 'location' is reserved")
}

const isLabel = ([key, value]: [string, unknown]): boolean =>
  key !== 'location' && isPlain(key, 1, 64) && typeof value === 'string' && isPlain(value, 0, 256)

const isPlain = (text: string, min: number, max: number): boolean =>
  [...text].length >= min && [...text].length <= max && !/\p{Cc}/u.test(text)

function bodyOf(body: object | null | undefined): string | null {
  const text = body == null ? null : JSON.stringify(body)
  if (text === null || Buffer.byteLength(text) <= 16 * 1024) return text
  throw invalid('body', "Field 'body' must have at most 16384 bytes as JSON")
}

export const accepted = (resource: string, { signal, observation, createdSignal }: Extract<ObservedResult, { ok: true }>) => ({
  resource,
  signal,
  observation,
  created_signal: createdSignal,
})

export function refusalOf(result: ObservedResult | undefined): AppError {
  if (result === undefined || result.ok) return new AppError('internal', 'Internal error')
  const { code, message, details, facts } = result.error
  return new AppError(code as ErrorCode, message, { details, ...(facts === undefined ? {} : { facts }) })
}

function requireUnarchived({ key, archivedAt }: ReportedResource): void {
  if (archivedAt !== null) throw archived(key)
}

export const archived = (key: string) => invalid('resource', `Resource ${key} is archived and accepts no Observations.`)

/** Returns the error in the form in which the route for a single Observation sends it. */
const shownError = (error: unknown): unknown => (v3Dialect.refuse(error) as { body: { error: unknown } }).body.error

export const observationRoutes = [single, batch]
