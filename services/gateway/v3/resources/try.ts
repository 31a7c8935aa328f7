// A check made once, before its monitor is saved: nothing is stored or judged. Reference: docs/reference/v3.md, 6.10.
import { Type } from 'typebox'
import type { CheckKind } from '#shared/checks/check-kind.ts'
import { entryOf } from '#shared/checks/registry.ts'
import { reachability } from '#shared/checks/template-parts.ts'
import { daysLeft } from '#shared/checks/tls/judge.ts'
import { locations } from '#shared/checks/watch-fields.ts'
import type { AskRequest } from '#shared/contracts/ask/ask.ts'
import { Strict } from '#shared/contracts/common.ts'
import { numbered } from '#shared/contracts/form.ts'
import { type CheckEntry, type CheckPhases, checkEntryForm } from '#shared/contracts/observations/check.ts'
import type { KeptAnswer } from '#shared/contracts/observations/kept-answer.ts'
import type { ReadCertificate, TriedCheck } from '#shared/contracts/observations/try.ts'
import type { ResourceView } from '#shared/contracts/resources/resource-views.ts'
import type { AnyTemplate, TemplateField } from '#shared/contracts/resources/template.ts'
import { limits } from '#shared/limits/limits.ts'
import { readAnswers } from '#shared/manifest/answers.ts'
import { checkSignalsOf, checksOf, usualAnswers } from '#shared/manifest/check-options.ts'
import { allSystemTemplates, isBuiltIn, kindOfTemplate } from '#shared/manifest/system-templates.ts'
import { timestamp } from '../../body/instants.ts'
import { Answered, Instant, OrNull } from '../../body/result-schema.ts'
import type { GatewayContext } from '../../context.ts'
import { invalid, Meta, Named, route, TemplateReference } from '../common.ts'
import { findTemplate } from '../templates/find-template.ts'
import { checkOf, readable } from './check-answers.ts'
import { lackAt } from './location-names.ts'
import { resourceNotFound } from './reported-resources.ts'
import { answersFor } from './template-answers.ts'

const Ms = (description: string) => OrNull(Type.Number({ description, examples: [12.4] }))

export const TryResult = Answered('TryResult', {
  signal: Type.String({ description: 'The check of the Template.', examples: ['reachability'] }),
  location: Named,
  outcome: {
    ...Type.Enum(['passed', 'failed', 'cannot', 'no_answer']),
    description: '`cannot`: the prober cannot make the check. `no_answer`: no prober answered for the Location, or it is busy.',
    examples: ['failed'],
  },
  error: OrNull(Type.String({ examples: ['status 503, expected 200'] })),
  value: OrNull(Type.Number({ description: 'What the check found.', examples: [31.2] })),
  unit: Type.String({ description: 'Of the value.', examples: ['ms'] }),
  status: OrNull(Type.Integer({ description: 'Of an HTTP response.', examples: [503] })),
  phases: OrNull(
    Answered('TryPhases', {
      dns_ms: Ms('From the start of the check until the name was resolved.'),
      connect_ms: Ms('Until the connection was made.'),
      tls_ms: Ms('Until the TLS handshake was complete.'),
      first_byte_ms: Ms('Until the first byte of the answer.'),
      total_ms: Type.Number({ examples: [31.2] }),
    }),
  ),
  hops: Type.Array(
    Answered('TryHop', {
      status: Type.Integer({ examples: [301] }),
      location: Type.String({ examples: ['https://shop.example/'] }),
    }),
    { description: 'Redirects that were followed.' },
  ),
  certificate: OrNull(
    Answered('TryCertificate', {
      subject: Type.String({ examples: ['CN=shop.example'] }),
      names: Type.Array(Type.String(), { examples: [['shop.example']] }),
      issuer: Type.String({ examples: ['CN=Example CA'] }),
      not_before: Instant,
      not_after: Instant,
      days: Type.Number({ description: 'Left until it ends; negative after the end.', examples: [61.5] }),
    }),
  ),
  records: OrNull(Type.Array(Type.String(), { description: 'Of a name server.', examples: [['192.0.2.1']] })),
  response: OrNull(
    Answered('TryResponse', {
      status_line: OrNull(Type.String({ examples: ['HTTP/1.1 503 Service Unavailable'] })),
      headers: Type.Array(Type.String(), { examples: [['retry-after: 120']] }),
      body: Type.String({ description: 'Its beginning.', examples: ['database is down'] }),
      binary: Type.Boolean(),
      truncated: Type.Boolean(),
    }),
  ),
})

const [first] = allSystemTemplates()

/** Returns answers to the required fields, but for the Locations. */
const exampleOf = (fields: readonly TemplateField[]) =>
  Object.fromEntries(
    fields
      .filter(({ key, required }) => required && key !== locations.key)
      .map(({ key, type, min }) => [key, type === 'url' ? 'https://shop.example/health' : min]),
  )

/** A check of one signal that is made once, as its probers get it, from each of the Locations. */
interface Trial {
  signal: string
  kind: CheckKind
  entry: CheckEntry
  locations: readonly string[]
}

const tryCheck = route('POST', '/workspaces/:workspace/checks/try', {
  summary: 'Makes the checks of a Template once, each from at most 8 of its Locations, and stores nothing.',
  more: 'With `resource`, `meta` changes the answers of that Resource, and stored secrets are used as a PATCH would keep them.',
  needs: { role: 'editor', scope: 'resources' },
  body: Strict({
    template: TemplateReference,
    meta: Meta,
    resource: Type.Optional(Type.String({ maxLength: 128 })),
    signal: Type.Optional(Type.String({ maxLength: 63, description: 'A check of the Template; all of them unless sent.' })),
  }),
  status: 200,
  result: Type.Array(TryResult),
  refusals: ['404', '422 template', '422 resource', '422 signal', '422 a field of meta', '429'],
  examples: [{ template: first?.key, meta: exampleOf(first?.fields ?? []) }],
  handler: async (context, { request: { identity }, workspaceId, body, traceId }) => {
    const template = await findTemplate(context, { workspaceId, reference: body.template, field: 'template' }, traceId)
    if (template === null) throw invalid('template', `There is no Template ${body.template}`)
    const found = body.resource == null ? null : await findNamed(context, { workspaceId, reference: body.resource }, traceId)
    const reference = `${template.key}@${template.version}`
    if (found !== null && found.template !== reference) throw invalid('resource', `The Resource is not of ${reference}`)
    const sent = body.meta as Readonly<Record<string, unknown>>
    const meta = found === null ? await withLocations(context, template, sent, traceId) : sent
    if (meta === null) return []
    const all = await trialsOf(context, template, { meta, found }, traceId)
    const wanted = all.filter(({ signal }) => (body.signal ?? signal) === signal)
    if (wanted.length === 0) throw invalid('signal', `The Template has no check '${body.signal}'`)
    context.tries.demand(identity.userId, workspaceId)
    const trials = wanted
      .flatMap(trial => trial.locations.slice(0, limits.tries.locations).map(id => ({ ...trial, id })))
      .slice(0, limits.tries.checks)
    const viewOf = await context.locationNames.viewer(new Set(trials.map(({ id }) => id)), traceId)
    return await Promise.all(
      trials.map(async ({ signal, kind, entry, id }) => {
        const made = await context.probers.try(id, entry, traceId)
        const lack = 'unanswered' in made && made.isNobody ? lackAt(viewOf(id), kind.key) : null
        const result = resultOf(lack === null ? made : { unanswered: lack }, context.clock.now())
        return { signal, location: { id, name: viewOf(id)?.name ?? id }, unit: kind.value.unit, ...result }
      }),
    )
  },
})

interface Asked {
  meta: Readonly<Record<string, unknown>>
  /** The Resource whose answers `meta` changes; null: a new one. */
  found: ResourceView | null
}

/** Throws `validation` of `template` if it has no check, and of a field whose answer is refused. */
async function trialsOf(
  context: GatewayContext,
  template: AnyTemplate,
  { meta, found }: Asked,
  traceId: string,
): Promise<Trial[]> {
  const kind = kindOfTemplate(`${template.key}@${template.version}`)
  if (isBuiltIn(template) && kind !== null) {
    const check = await checkOf(context, { kind, meta, present: found?.check ?? null }, traceId)
    const entry = { ...entryOf(check, 1), intervalMs: limits.tries.checkMs }
    return [{ signal: reachability, kind, entry, locations: check.locations }]
  }
  if (isBuiltIn(template) || checkSignalsOf(template).length === 0)
    throw invalid('template', `${template.key} is no Template with a check to try`)
  const present = { ...found?.answers, ...found?.secrets }
  const before = found === null ? undefined : checksOf(template, present)
  const sent = await answersFor(context, template, meta, traceId)
  const answers = readable(() => readAnswers(template, sent, present, before))
  return checksOf(template, answers).map(({ signal, kind: of, options, locations: places }) => ({
    ...{ signal, kind: of },
    entry: numbered(checkEntryForm, { rev: 1, ...of.entry(usualAnswers(of, options)), intervalMs: limits.tries.checkMs }),
    locations: places,
  }))
}

async function findNamed(
  { directory }: GatewayContext,
  named: AskRequest<'get-resource'>,
  traceId: string,
): Promise<ResourceView> {
  const found = await directory.ask('get-resource', named, traceId)
  if (found === null) throw resourceNotFound()
  return found
}

/** Returns the answers with all Locations for lists of Locations that they do not name; null: there is no Location. */
async function withLocations(
  { directory }: GatewayContext,
  { fields }: AnyTemplate,
  meta: Readonly<Record<string, unknown>>,
  traceId: string,
) {
  const unnamed = fields.filter(({ key, type }) => type === 'location_list' && meta[key] == null)
  if (unnamed.length === 0) return meta
  const all = (await directory.ask('list-locations', {}, traceId)).map(({ id }) => id).slice(0, limits.tries.locations)
  return all.length === 0 ? null : { ...meta, ...Object.fromEntries(unnamed.map(({ key }) => [key, all])) }
}

/** `now`: ms since the epoch. */
function resultOf(tried: TriedCheck, now: number) {
  if ('unanswered' in tried) return { ...nothing, outcome: 'no_answer' as const, error: tried.unanswered }
  const { ok, cannot = false, error, value, statusCode, phases, response, details } = tried
  return {
    outcome: cannot ? ('cannot' as const) : ok ? ('passed' as const) : ('failed' as const),
    ...{ error, value: value === undefined ? phases.totalMs : value, status: statusCode, phases: phasesObject(phases) },
    ...{ hops: details?.hops ?? [], records: details?.records ?? null },
    certificate: details?.certificate ? certificateObject(details.certificate, now) : null,
    response: response === undefined ? null : { ...rest(response), status_line: response.statusLine },
  }
}

const nothing = { value: null, status: null, phases: null, hops: [], certificate: null, records: null, response: null }

const rest = ({ headers, body, binary, truncated }: KeptAnswer) => ({ headers, body, binary, truncated })

const certificateObject = ({ subject, names, issuer, validFrom, validTo }: ReadCertificate, now: number) => ({
  ...{ subject, names, issuer, not_before: timestamp(validFrom), not_after: timestamp(validTo) },
  days: daysLeft(validTo, now),
})

const phasesObject = ({ dnsMs, connectMs, tlsMs, firstByteMs, totalMs }: CheckPhases) => ({
  ...{ dns_ms: dnsMs, connect_ms: connectMs, tls_ms: tlsMs, first_byte_ms: firstByteMs, total_ms: totalMs },
})

export const tryRoutes = [tryCheck]
