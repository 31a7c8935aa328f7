// /v2/subjects/{subject}/signals: addresses to which observations of a subject are reported (reference/custom-subjects 2).

import { type Static, Type } from 'typebox'
import { Strict } from '#shared/contracts/common.ts'
import type { CustomSubjectView, SignalView } from '#shared/contracts/subjects/subject-views.ts'
import { refusal } from '#shared/errors.ts'
import { limits } from '#shared/limits/limits.ts'
import { Maybe, marks } from '../../body/field-values.ts'
import type { SentJson } from '../../body/json-body.ts'
import { parseLossless } from '../../body/lossless-json.ts'
import { Answered, Kind, writerOf } from '../../body/result-schema.ts'
import type { Route } from '../../http/route.ts'
import { commandId } from '../../subjects/command-id.ts'
import { type ClassicRefusal, editor, member, routesWith } from '../classic-route.ts'
import { invalid, invalidName, subjectTooLarge } from '../refusals.ts'
import { findWithSignal, ofSubject, subjectQuery, subjectReadRoute, subjectWriteRoute } from './find-subject.ts'
import { NameField } from './name.ts'

const kinds = {
  custom_heartbeat: 'custom_heartbeat',
  heartbeat: 'custom_heartbeat',
  custom_event: 'custom_event',
  event: 'custom_event',
} as const
type SignalKind = (typeof kinds)[keyof typeof kinds]

/** The meta is stored as sent and never interpreted. The size limit applies to the JSON text as sent. */
const Meta = Maybe(
  Type.Object({}, { description: `Any JSON object of at most ${limits.subject.metaBytes} bytes.`, ...marks({ anyType: true }) }),
)

const unknownKind = { message: 'Invalid signal kind', details: 'kind must be custom_heartbeat or custom_event' }
const Kinds = Type.Enum(['custom_heartbeat', 'heartbeat', 'custom_event', 'event'], {
  type: 'string',
  ...marks({ missing: unknownKind, refusal: unknownKind }),
})

export const CreateSignalBody = Strict({ name: NameField, kind: Kinds, meta: Meta })
const UpdateSignalBody = Strict({
  name: NameField,
  kind: Type.Optional(Type.Unknown({ description: 'It never changes: the other kind is refused.' })),
  meta: Meta,
})

export const Signal = Answered('Signal', {
  id: Type.String({ description: 'The slug; what senders report to and inputs cite.' }),
  name: Type.String(),
  signal_kind: Type.Enum(['custom_heartbeat', 'custom_event', 'platform_http']),
  subject_id: Type.String(),
  workspace_id: Type.String(),
  meta: Type.Object({}),
  kind: Kind('signal'),
})

const all = '/subjects/:subject/signals'
const one = `${all}/:signal`
export const ofSignal: readonly ClassicRefusal[] = [...ofSubject, '2002 Signal not found']
const onSignal = { query: subjectQuery, refusals: ofSignal, find: findWithSignal }
const signalReadRoute = routesWith(member, onSignal)
const signalWriteRoute = routesWith(editor, onSignal)
const builtIn: ClassicRefusal = '2003 Signal is managed by Website monitoring'
const badKind: ClassicRefusal = '2001 Invalid signal kind'
const badMeta: ClassicRefusal = '2001 Invalid meta'

const listSignals = subjectReadRoute('GET', all, {
  summary: 'The signals of a subject.',
  result: Type.Array(Signal),
  handler: async (_context, { found }) => found.signals.map(signal => signalObject(found, signal)),
})

const createSignal = subjectWriteRoute('POST', all, {
  makes: 'signal',
  summary: 'Adds a signal.',
  more: 'A heartbeat reports on a schedule, and its silence can become no data; an event reports when something happens.',
  body: CreateSignalBody,
  result: Signal,
  refusals: [
    ...([invalid, invalidName, '2001 Signal name taken', badKind, badMeta] as const),
    ...(['2004 Too many signals', subjectTooLarge] as const),
  ],
  examples: [{ name: 'Depth', kind: 'custom_heartbeat', meta: { team: 'payments' } }],
  handler: async ({ keeper }, { found: subject, body, json, traceId }) => {
    const command = { kind: 'create-signal', id: commandId(), ...readSignal(body, await json()), convert: false } as const
    return signalObject(subject, await keeper.send(subject.id, command, traceId))
  },
})

const getSignal = signalReadRoute('GET', one, {
  summary: 'A signal.',
  result: Signal,
  handler: async (_context, { found: { subject, signal } }) => signalObject(subject, signal),
})

/**
 * Replaces name and meta. A `kind` other than the signal's own is refused (reference/custom-subjects
 * 2.6).
 */
const updateSignal = signalWriteRoute('POST', one, {
  summary: 'Replaces name and meta; kind and slug never change.',
  body: UpdateSignalBody,
  result: Signal,
  refusals: [invalid, invalidName, badKind, badMeta, subjectTooLarge, builtIn],
  examples: [{ name: 'Queue depth', meta: { team: 'payments' } }],
  handler: async ({ keeper }, { found: { subject, signal }, body, json, traceId }) => {
    requireSameKind(signal, body.kind)
    const meta = readMeta(body.meta, await json())
    const command = { kind: 'update-signal', id: commandId(), signal: signal.slug, name: body.name, meta } as const
    return signalObject(subject, await keeper.send(subject.id, command, traceId))
  },
})

const deleteSignal = signalWriteRoute('DELETE', one, {
  summary: 'Removes a signal and its observations.',
  result: Strict({ message: Type.String(), signal_id: Type.String(), subject_id: Type.String() }),
  refusals: [builtIn, '2003 Signal is still used by a rule'],
  handler: async ({ keeper }, { found: { subject, signal }, traceId }) => {
    const command = { kind: 'delete-signal', id: commandId(), signal: signal.slug } as const
    const { slug } = await keeper.send(subject.id, command, traceId)
    return { message: 'Signal deleted successfully', signal_id: slug, subject_id: subject.slug }
  },
})

export const signalRoutes: readonly Route[] = [listSignals, createSignal, getSignal, updateSignal, deleteSignal]

/** Reads the fields of a signal. The session API calls this function too, when a new signal makes a website monitor a custom subject. */
export const readSignal = (sent: Static<typeof CreateSignalBody>, json: SentJson) => ({
  name: sent.name,
  signalKind: kinds[sent.kind],
  meta: readMeta(sent.meta, json),
})

/**
 * Throws if the sent kind is not the signal's kind. The object's own word `signal`, which a client may send back, is fine. Does not check
 * built-in signals, because another check refuses every change to a built-in signal.
 */
function requireSameKind({ kind }: SignalView, sent: unknown): void {
  const isSilent = sent === undefined || sent === null || sent === 'signal'
  if (isSilent || kindOf(sent) === kind || kind === 'platform_http') return
  throw refusal('validation', 'Invalid signal kind', `kind never changes: this signal is a ${kind}`, 'kind')
}

/** Returns the kind of signal; undefined: the value names no kind. */
const kindOf = (sent: unknown): SignalKind | undefined => Object.entries(kinds).find(([word]) => word === sent)?.[1]

/** Returns the meta as text; numbers stay as the client wrote them. If the meta is absent or null, returns the empty object. */
function readMeta(meta: unknown, { text }: SentJson): string {
  if (meta === null || meta === undefined) return '{}'
  if (typeof meta !== 'object' || Array.isArray(meta)) throw invalidMeta('meta must be a JSON object')
  const kept = JSON.stringify((parseLossless(text) as { meta: unknown }).meta)
  if (Buffer.byteLength(kept) <= limits.subject.metaBytes) return kept
  throw invalidMeta(`meta must have at most ${limits.subject.metaBytes} bytes as JSON`)
}

const invalidMeta = (details: string) => refusal('validation', 'Invalid meta', details, 'meta')

const write = writerOf(Signal)
export function signalObject(subject: Pick<CustomSubjectView, 'slug' | 'workspaceId'>, signal: SignalView) {
  const own = { ...signal, id: signal.slug, signalKind: signal.kind, meta: parseLossless(signal.meta) as object }
  return write({ ...own, subjectId: subject.slug, workspaceId: subject.workspaceId })
}
