// Routes for Templates: system Templates, all revisions of a workspace's own Templates, and the publication of a revision. Reference:
// docs/reference/v3.md, section 3.
import { Type } from 'typebox'
import { allPages } from '#shared/async/pages.ts'
import type { AnyTemplate } from '#shared/contracts/resources/template.ts'
import { Manifest } from '#shared/contracts/resources/template.ts'
import { refusal } from '#shared/errors.ts'
import { allSystemTemplates } from '#shared/manifest/system-templates.ts'
import { isRedactedAnywhere, isRedactedIn } from '../../callers/redacted-readers.ts'
import type { GatewayContext } from '../../context.ts'
import { pathPart } from '../../http/answer.ts'
import { route, type V3Call } from '../common.ts'
import { TemplateObject, templateObject } from './template-object.ts'

const listSystem = route('GET', '/templates', {
  summary: 'System Templates.',
  needs: { role: 'anybody', scope: null },
  isAudited: false,
  result: Type.Array(TemplateObject),
  handler: async (_context, { request: { identity } }) => {
    const isRedacted = isRedactedAnywhere(identity)
    return allSystemTemplates().map(template => templateObject(template, isRedacted))
  },
})

const listTemplates = route('GET', '/workspaces/:workspace/templates', {
  summary: "System Templates, then the workspace's own, every revision by key and version.",
  needs: { role: 'viewer', scope: null },
  isAudited: false,
  query: {
    own: { schema: Type.Boolean(), meaning: 'Only those of the workspace, or only those of the system. All unless sent.' },
  },
  result: Type.Array(TemplateObject),
  refusals: ['422 own'],
  handler: async ({ directory }, { request, workspaceId, query, traceId }) => {
    const own = await allPages(after => directory.ask('list-templates', { workspaceId, after }, traceId))
    const isRedacted = isRedactedIn(workspaceId, request.identity)
    const system = allSystemTemplates().filter(({ key }) => !own.some(mine => mine.key === key))
    const listed = query['own'] === undefined ? [...system, ...own] : query['own'] ? own : system
    return listed.map(template => templateObject(template, isRedacted))
  },
})

async function findTemplate({ directory }: GatewayContext, call: V3Call): Promise<AnyTemplate> {
  const { workspaceId, traceId } = call
  const reference = pathPart(call, 'template')
  const isReadable = reference.length <= referenceCharacters
  const found = isReadable ? await directory.ask('get-template', { workspaceId, reference }, traceId) : null
  if (found !== null && found !== 'damaged') return found
  const details = found === null ? 'The workspace has no such Template' : `The Template ${reference} is damaged in the store`
  throw refusal('not_found', 'Template not found', details)
}

/**
 * Maximum length of a reference that is looked up, characters. Every valid reference is shorter: a key has at most 63 characters, a version
 * at most 7.
 */
const referenceCharacters = 100

const detail = route('GET', '/workspaces/:workspace/templates/:template', {
  summary: 'One Template by its key, which means the highest version, or by key@version.',
  needs: { role: 'viewer', scope: null },
  isAudited: false,
  find: findTemplate,
  result: TemplateObject,
  handler: async (_context, { request, workspaceId, found }) =>
    templateObject(found, isRedactedIn(workspaceId, request.identity)),
})

const publish = route('POST', '/workspaces/:workspace/templates', {
  summary: 'Publishes one revision of a Template. A revision never changes.',
  needs: { role: 'editor', scope: 'templates' },
  body: Manifest,
  status: 201,
  makes: 'template',
  result: TemplateObject,
  refusals: ['409', '422 a dotted place in the Template', '422 key'],
  examples: [heartbeat(1, 120), heartbeat(2, 300)],
  handler: async ({ directory }, { request, workspaceId, body, traceId }) => {
    const template = await directory.ask('publish-template', { workspaceId, manifest: body }, traceId)
    return templateObject(template, isRedactedIn(workspaceId, request.identity))
  },
})

/** Returns an example of a Template. Its rule has the verdict problem if the sender reports a problem, or if the sender is silent. */
function heartbeat(version: number, confirmAfterSeconds: number) {
  return {
    key: 'heartbeat',
    version,
    name: 'Heartbeat',
    signals: [{ key: 'beat', kind: 'heartbeat', every_seconds: 60 }],
    rules: [
      {
        key: 'failing',
        action: 'Look at the log of the sender.',
        wait: { confirm_after: confirmAfterSeconds, recover_after: 120 },
        decision: {
          any: [
            { signal: 'beat', field: 'status', operator: 'eq', operand: 'problem' },
            { not: { signal: 'beat', field: 'known' } },
          ],
        },
      },
    ],
  }
}

export const templateRoutes = [listSystem, listTemplates, detail, publish]
