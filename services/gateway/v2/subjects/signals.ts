// /v2/subjects/{subject}/signals: what a subject is reported by (spec B, Signal).
import { Type } from 'typebox'
import type { CommandOf } from '#shared/contracts/command.ts'
import type { CustomSubjectView, SignalView } from '#shared/contracts/subject-views.ts'
import { AppError } from '#shared/errors.ts'
import { limits } from '#shared/limits.ts'
import { requireEditor } from '../../access.ts'
import type { Call } from '../../answer.ts'
import { commandId } from '../../command-id.ts'
import type { GatewayContext } from '../../context.ts'
import { Judged, Needed, shapeReader } from '../../fields.ts'
import { readObjectAndText } from '../../json-body.ts'
import { parseLossless } from '../../lossless-json.ts'
import { findCustomSubject, findSignal } from './find-subject.ts'
import { NameField, readName } from './name.ts'

type SignalKind = CommandOf<'create-signal'>['signalKind']

const kinds: Record<string, SignalKind> = {
  custom_heartbeat: 'custom_heartbeat',
  heartbeat: 'custom_heartbeat',
  custom_event: 'custom_event',
  event: 'custom_event',
}

/** Untouched, never interpreted. */
const Meta = Judged(
  Type.Union([Type.Object({}), Type.Null()], { description: `Any JSON object of at most ${limits.subject.metaBytes} bytes.` }),
)

export const CreateSignalBody = Type.Object(
  { name: NameField, kind: Needed(Type.String({ enum: Object.keys(kinds) })), meta: Meta },
  { additionalProperties: false },
)
export const UpdateSignalBody = Type.Object(
  {
    name: NameField,
    kind: Type.Optional(Type.Unknown({ description: 'It never changes: the other kind is refused.' })),
    meta: Meta,
  },
  { additionalProperties: false },
)
const readCreate = shapeReader(CreateSignalBody)
const readUpdate = shapeReader(UpdateSignalBody)

export async function listSignals(context: GatewayContext, call: Call) {
  const subject = await findCustomSubject(context, call)
  return subject.signals.map(signal => signalObject(subject, signal))
}

export async function getSignal(context: GatewayContext, call: Call) {
  const subject = await findCustomSubject(context, call)
  return signalObject(subject, findSignal(subject, call))
}

export async function createSignal(context: GatewayContext, call: Call) {
  const subject = await findCustomSubject(context, call)
  requireEditor(call.request.identity, subject.workspaceId)
  const fields = await readSignal(call)
  const command = { kind: 'create-signal', id: commandId(), ...fields, convert: false } as const
  return signalObject(subject, await context.keeper.send(subject.id, command, call.traceId))
}

/** What a signal is made of, as sent: the session API, which makes website monitors custom, reads it too. */
export async function readSignal({ request, reply }: Call): Promise<{ name: string; signalKind: SignalKind; meta: string }> {
  const { body, text } = await readObjectAndText(request, reply)
  const sent = readCreate(body)
  return { name: readName(sent.name), signalKind: readKind(sent.kind), meta: readMeta(sent.meta, text) }
}

/** A full replacement of name and meta; kind and slug never change. The other kind is refused, any other `kind` is ignored (spec E 0). */
export async function updateSignal(context: GatewayContext, call: Call) {
  const subject = await findCustomSubject(context, call)
  const signal = findSignal(subject, call)
  requireEditor(call.request.identity, subject.workspaceId)
  const { body, text } = await readObjectAndText(call.request, call.reply)
  const sent = readUpdate(body)
  const name = readName(sent.name)
  requireSameKind(signal, sent.kind)
  const command = {
    kind: 'update-signal',
    id: commandId(),
    signal: signal.slug,
    name,
    meta: readMeta(sent.meta, text),
  } as const
  return signalObject(subject, await context.keeper.send(subject.id, command, call.traceId))
}

export async function deleteSignal(context: GatewayContext, call: Call) {
  const subject = await findCustomSubject(context, call)
  const signal = findSignal(subject, call)
  requireEditor(call.request.identity, subject.workspaceId)
  const command = { kind: 'delete-signal', id: commandId(), signal: signal.slug } as const
  const { slug } = await context.keeper.send(subject.id, command, call.traceId)
  return { message: 'Signal deleted successfully', signal_id: slug, subject_id: subject.slug }
}

function readKind(sent: unknown): SignalKind {
  const kind = kindOf(sent)
  if (kind !== undefined) return kind
  throw invalidKind('kind must be custom_heartbeat or custom_event')
}

/** A built-in signal has no other kind: it is refused as a whole. */
function requireSameKind({ kind }: SignalView, sent: unknown): void {
  const asked = kindOf(sent)
  if (asked === undefined || asked === kind || kind === 'platform_http') return
  throw invalidKind(`kind never changes: this signal is a ${kind}`)
}

/** Undefined: no word for a kind of signal. */
const kindOf = (sent: unknown): SignalKind | undefined =>
  typeof sent === 'string' && Object.hasOwn(kinds, sent) ? kinds[sent] : undefined

const invalidKind = (details: string): AppError => new AppError('validation', 'Invalid signal kind', { details })

/** Kept as text, numbers as they were written; absent and null are the empty object. */
function readMeta(meta: unknown, text: string): string {
  if (meta === null || meta === undefined) return '{}'
  if (typeof meta !== 'object' || Array.isArray(meta)) throw invalidMeta('meta must be a JSON object')
  const kept = JSON.stringify((parseLossless(text) as { meta: unknown }).meta)
  if (Buffer.byteLength(kept) <= limits.subject.metaBytes) return kept
  throw invalidMeta(`meta must have at most ${limits.subject.metaBytes} bytes as JSON`)
}

const invalidMeta = (details: string): AppError => new AppError('validation', 'Invalid meta', { details })

export const signalObject = (
  subject: Pick<CustomSubjectView, 'slug' | 'workspaceId'>,
  { slug, name, kind, meta }: SignalView,
) => ({
  id: slug,
  name,
  signal_kind: kind,
  subject_id: subject.slug,
  workspace_id: subject.workspaceId,
  meta: parseLossless(meta),
  kind: 'signal',
})
