// A check made once, before its monitor is saved: nothing is stored or judged. Reference: docs/reference/v3.md, 6.10.
import { Type } from 'typebox'
import { allSystemTemplates, entryOf, kindOfTemplate } from '#shared/checks/registry.ts'
import { daysLeft } from '#shared/checks/tls/judge.ts'
import { locations } from '#shared/checks/watch-fields.ts'
import type { AskRequest } from '#shared/contracts/ask/ask.ts'
import { Strict } from '#shared/contracts/common.ts'
import type { CheckPhases } from '#shared/contracts/observations/check.ts'
import type { KeptAnswer } from '#shared/contracts/observations/kept-answer.ts'
import type { ReadCertificate, TriedCheck } from '#shared/contracts/observations/try.ts'
import type { ResourceView } from '#shared/contracts/resources/resource-views.ts'
import type { TemplateField } from '#shared/contracts/resources/template.ts'
import { limits } from '#shared/limits/limits.ts'
import { timestamp } from '../../body/instants.ts'
import { Answered, Instant, OrNull } from '../../body/result-schema.ts'
import type { GatewayContext } from '../../context.ts'
import { invalid, Meta, Named, route, TemplateReference } from '../common.ts'
import { findTemplate } from '../templates/find-template.ts'
import { checkOf } from './check-answers.ts'
import { lackAt } from './location-names.ts'
import { resourceNotFound } from './reported-resources.ts'

const Ms = (description: string) => OrNull(Type.Number({ description, examples: [12.4] }))

export const TryResult = Answered('TryResult', {
  location: Named,
  outcome: {
    ...Type.Enum(['passed', 'failed', 'cannot', 'no_answer']),
    description: '`cannot`: the prober cannot make the check. `no_answer`: no prober answered for the Location, or it is busy.',
    examples: ['failed'],
  },
  error: OrNull(Type.String({ examples: ['status 503, expected 200'] })),
  value: OrNull(Type.Number({ description: 'What the check found, in the unit of its kind.', examples: [31.2] })),
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

const tryCheck = route('POST', '/workspaces/:workspace/checks/try', {
  summary: 'Makes the check of a system Template once, from at most 8 of its Locations, and stores nothing.',
  more: 'With `resource`, `meta` changes the answers of that Resource, and stored secrets are used as a PATCH would keep them.',
  needs: { role: 'editor', scope: 'resources' },
  body: Strict({
    template: TemplateReference,
    meta: Meta,
    resource: Type.Optional(Type.String({ maxLength: 128 })),
  }),
  status: 200,
  result: Type.Array(TryResult),
  refusals: ['404', '422 template', '422 resource', '422 a field of meta', '429'],
  examples: [{ template: first?.key, meta: exampleOf(first?.fields ?? []) }],
  handler: async (context, { request: { identity }, workspaceId, body, traceId }) => {
    const template = await findTemplate(context, { workspaceId, reference: body.template, field: 'template' }, traceId)
    const reference = `${template?.key}@${template?.version}`
    const kind = kindOfTemplate(reference)
    if (kind === null) throw invalid('template', `${body.template} is no system Template with a check to try`)
    const found = body.resource == null ? null : await findNamed(context, { workspaceId, reference: body.resource }, traceId)
    if (found !== null && found.template !== reference) throw invalid('resource', `The Resource is not of ${reference}`)
    const present = found?.check ?? null
    const sent = body.meta as Readonly<Record<string, unknown>>
    const meta = present === null ? await withLocations(context, sent, traceId) : sent
    if (meta === null) return []
    const check = await checkOf(context, { kind, meta, present }, traceId)
    context.tries.demand(identity.userId, workspaceId)
    const entry = { ...entryOf(check, 1), intervalMs: limits.tries.checkMs }
    const tried = check.locations.slice(0, limits.tries.locations)
    const viewOf = await context.locationNames.viewer(tried, traceId)
    return await Promise.all(
      tried.map(async id => {
        const made = await context.probers.try(id, entry, traceId)
        const lack = 'unanswered' in made && made.isNobody ? lackAt(viewOf(id), kind.key) : null
        const outcome = lack === null ? made : { unanswered: lack }
        return { location: { id, name: viewOf(id)?.name ?? id }, ...resultOf(outcome, context.clock.now()) }
      }),
    )
  },
})

async function findNamed(
  { directory }: GatewayContext,
  named: AskRequest<'get-resource'>,
  traceId: string,
): Promise<ResourceView> {
  const found = await directory.ask('get-resource', named, traceId)
  if (found === null) throw resourceNotFound()
  return found
}

/** Returns the answers with all Locations if they name none; null: there is no Location. */
async function withLocations({ directory }: GatewayContext, meta: Readonly<Record<string, unknown>>, traceId: string) {
  if (meta[locations.key] != null) return meta
  const all = (await directory.ask('list-locations', {}, traceId)).map(({ id }) => id)
  return all.length === 0 ? null : { ...meta, [locations.key]: all.slice(0, limits.tries.locations) }
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
