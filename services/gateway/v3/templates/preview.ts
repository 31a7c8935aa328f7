// Route of a Template's preview. The Template's rules judge every sent Observation at the instant of that Observation. Nothing is stored.
// Reference: docs/reference/v3.md, 3.11.

import { type Static, Type } from 'typebox'
import { Strict } from '#shared/contracts/common.ts'
import type { Template } from '#shared/contracts/resources/template.ts'
import { Manifest } from '#shared/contracts/resources/template.ts'
import { limits } from '#shared/limits/limits.ts'
import { isBuiltIn } from '#shared/manifest/system-templates.ts'
import { isRedactedIn } from '../../callers/redacted-readers.ts'
import type { GatewayContext } from '../../context.ts'
import { invalid, route, type V3Call } from '../common.ts'
import { findTemplate } from './find-template.ts'
import { PreviewObject, previewObject } from './preview-object.ts'
import { previewFields, readPreview } from './preview-request.ts'

const PreviewBody = Strict({
  /** The reader of manifests checks the members. Its refusals name dotted paths inside the Template. */
  manifest: Type.Optional(Type.Object({}, { additionalProperties: true, documented: Manifest })),
  template: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 100,
      description: 'Instead of a manifest: a key, which means its highest version, or key@version.',
    }),
  ),
  ...previewFields,
})

const preview = route('POST', '/workspaces/:workspace/templates/preview', {
  summary: 'Judges Observations by the rules of a Template, in their own time. Stores nothing.',
  more: 'Send `manifest` or `template`. A manifest that publication would refuse is refused alike, but for a version that exists.',
  needs: { role: 'viewer', scope: null },
  body: PreviewBody,
  bodyBytes: limits.http.bodyBytes,
  result: PreviewObject,
  refusals: [
    '422 manifest',
    '422 template',
    '422 a dotted place in the Template',
    '422 key',
    '422 a field of the Template',
    '422 a dotted place in observations',
    '422 at',
  ],
  isDry: true,
  examples: [
    {
      manifest: {
        key: 'heartbeat',
        version: 1,
        name: 'Heartbeat',
        signals: [{ key: 'beat', kind: 'heartbeat', every_seconds: 60 }],
        rules: [
          {
            key: 'failing',
            action: 'Look at the log of the sender.',
            wait: { confirm_after: 120, recover_after: 120 },
            decision: { signal: 'beat', field: 'status', operator: 'eq', operand: 'problem' },
          },
        ],
      },
      observations: [{ signal: 'beat', state: 'problem', at: '2026-10-05T12:00:00Z', reason: 'disk full' }],
      at: '2026-10-05T12:02:00Z',
    },
  ],
  handler: async (context, call) => {
    const { request, body, traceId } = call
    const template = await templateOf(context, call)
    const sender = { workspaceId: call.workspaceId, callerId: request.identity.userId }
    const rules = await context.previews.preview({ ...readPreview(template, body), ...sender }, traceId)
    return previewObject(template, rules, isRedactedIn(call.workspaceId, request.identity))
  },
})

async function templateOf(
  context: GatewayContext,
  { body, workspaceId, traceId }: V3Call & { body: Static<typeof PreviewBody> },
): Promise<Template> {
  const { manifest, template: reference } = body
  if (manifest != null && reference != null) throw invalid('template', "Send 'manifest' or 'template', not both")
  if (manifest != null) return context.directory.ask('read-manifest', { workspaceId, manifest }, traceId)
  if (reference == null) throw invalid('manifest', "Field 'manifest' is required, or 'template'")
  const found = await findTemplate(context, { workspaceId, reference, field: 'template' }, traceId)
  if (found === null) throw invalid('template', `The workspace has no Template '${reference}'`)
  if (isBuiltIn(found)) throw invalid('template', `'${reference}' is judged by a built-in rule, which has no preview`)
  return found
}

export const previewRoutes = [preview]
