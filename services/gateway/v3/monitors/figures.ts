// GET /workspaces/{ws}/figures: values of checks and uptime of Resources. Reference: docs/reference/v3.md, section 13.
import { Type } from 'typebox'
import { limits } from '#shared/limits/limits.ts'
import { isId } from '#shared/text/is-id.ts'
import { timestamp } from '../../body/instants.ts'
import { Answered, Instant, OrNull, writerOf } from '../../body/result-schema.ts'
import type { GatewayContext } from '../../context.ts'
import { Paged } from '../../http/route.ts'
import { route, type V3Call } from '../common.ts'
import { formatCursor, limitOf, pageQuery, readCursor } from '../paging.ts'
import { invalidParameter } from '../read-query.ts'

const { figures: most } = limits.charts

export const FiguresObject = Answered('Figures', {
  resource: Type.String({ description: 'Its id.', examples: ['aB3dE6gH9k'] }),
  p95: OrNull(
    Type.Number({
      description: '95th percentile of the values of checks in the last 24 complete hours. Null if nothing was measured.',
    }),
  ),
  unit: OrNull(Type.String({ description: 'Of `p95`: that of the kind of check. Null without a check.', examples: ['ms'] })),
  uptime_30d: OrNull(
    Type.Number({ minimum: 0, maximum: 1, description: 'Share of the time since `uptime_since` without a confirmed Incident.' }),
  ),
  uptime_since: { ...Instant, description: 'What `uptime_30d` counts from.' },
  ends: OrNull(
    Answered('Ending', {
      what: Type.String({ description: 'For people.', examples: ['certificate'] }),
      at: Instant,
    }),
  ),
})

const list = route('GET', '/workspaces/:workspace/figures', {
  summary: 'Values of checks and uptime of Resources by id; archived ones only if `resources` names them.',
  needs: { role: 'viewer', scope: null },
  isAudited: false,
  query: {
    ...pageQuery,
    resources: {
      schema: Type.String({ minLength: 1, maxLength: 65 * most }),
      meaning: `Ids with commas between them, at most ${most}; those that are not there are left out. All Resources unless sent.`,
    },
  },
  result: Type.Array(FiguresObject),
  refusals: ['422 limit', '422 cursor', '422 resources'],
  handler: async (context, call) => {
    const { workspaceId, traceId } = call
    const { ids, next } = await chosen(context, call)
    const found = ids.length === 0 ? {} : await context.directory.ask('get-figures', { workspaceId, subjectIds: ids }, traceId)
    const items = [...new Set(ids)].flatMap(id => {
      const figures = found[id]
      if (figures === undefined) return []
      const ends = figures.ends && { ...figures.ends, at: timestamp(figures.ends.at) }
      return [write({ ...figures, ends, resource: id, uptime30d: figures.uptime })]
    })
    return new Paged(items, formatCursor(call, next))
  },
})

/** Returns the ids that `resources` names, or one page of the ids of all Resources that are not archived. */
async function chosen(
  { directory }: GatewayContext,
  call: V3Call & { query: Readonly<Record<string, string | number | boolean>> },
): Promise<{ ids: string[]; next: string | null }> {
  const { workspaceId, query, traceId } = call
  const sent = query['resources']
  if (typeof sent !== 'string') {
    const wanted = { workspaceId, ...everyOne(), after: readCursor(call), limit: Math.min(limitOf(call), most) }
    const { items, next } = await directory.ask('list-resources', wanted, traceId)
    return { ids: items.map(({ id }) => id), next }
  }
  const ids = sent.split(',')
  if (ids.length <= most && ids.every(isId)) return { ids, next: null }
  throw invalidParameter('resources', `The parameter 'resources' holds at most ${most} ids with commas between them`)
}

const everyOne = () => ({ state: 'active' as const, template: null, meta: [], labels: [], isRedacted: false })

const write = writerOf(FiguresObject)

export const figuresRoutes = [list]
