// Commands to a Resource that do not change its settings: archive, rebind, maintenance. Reference: docs/reference/v3.md, 6.4, 6.5 and 6.7.

import { Type } from 'typebox'
import { isSystemKey } from '#shared/checks/registry.ts'
import { Strict } from '#shared/contracts/common.ts'
import type { ResourceView } from '#shared/contracts/resources/resource-views.ts'
import type { Template } from '#shared/contracts/resources/template.ts'
import type { Command } from '#shared/contracts/subjects/command.ts'
import type { GatewayContext } from '../../context.ts'
import { commandId } from '../../subjects/command-id.ts'
import { invalid, Meta, route, TemplateReference, type V3Call } from '../common.ts'
import { findTemplate } from '../templates/find-template.ts'
import { requireTemplateBounds } from './check-bounds.ts'
import { locationNames } from './location-names.ts'
import { ResourceObject, resourceObject } from './resource-object.ts'
import { findResource } from './resources.ts'
import { answersFor } from './template-answers.ts'

const one = '/workspaces/:workspace/resources/:resource'
const maintenance = `${one}/maintenance`

/** Sends a command and returns the Resource after its keeper has executed the command. */
async function changed(context: GatewayContext, call: V3Call & { found: ResourceView }, command: Changing) {
  const { found, request, traceId } = call
  const { keeper, incidentIds } = context
  const resource = await keeper.send(found.id, { ...command, id: commandId() }, traceId)
  const places = await locationNames(context, resource, traceId)
  return resourceObject(resource, { incidentIds, identity: request.identity, ...places })
}

type Kind = 'archive-resource' | 'rebind-resource' | 'set-maintenance' | 'end-maintenance'
type WithoutId<C> = C extends { id: string } ? Omit<C, 'id'> : never
type Changing = WithoutId<Extract<Command, { kind: Kind }>>

const archive = route('POST', `${one}/archive`, {
  summary: 'Ends a Resource for good: its Incidents close, its checks and its maintenance end.',
  more: 'It stays readable, and its key stays reserved. Nothing restores it. Archived already: 409.',
  needs: { role: 'editor', scope: 'resources' },
  find: findResource,
  result: ResourceObject,
  refusals: ['409'],
  handler: (context, call) => changed(context, call, { kind: 'archive-resource' }),
})

const rebind = route('POST', `${one}/rebind`, {
  summary: 'Binds a Resource to another revision of a published Template.',
  more: 'Answers that both revisions take stay unless they are sent. Open Incidents close as `rule_removed`. While it is archived: 409.',
  needs: { role: 'editor', scope: 'full' },
  find: findResource,
  body: Strict({
    template: TemplateReference,
    meta: Type.Optional(Meta),
  }),
  result: ResourceObject,
  refusals: ['409', '422 template', '422 a field of meta'],
  examples: [{ template: 'heartbeat@2' }],
  handler: async (context, call) => {
    const { workspaceId, body, traceId } = call
    const revision = await findTemplate(context, { workspaceId, reference: body.template, field: 'template' }, traceId)
    if (revision === null) throw invalid('template', `There is no Template ${body.template}`)
    const template = `${revision.key}@${revision.version}`
    if (isSystemKey(revision.key)) throw invalid('template', 'No Resource is bound to a system Template')
    const sent = { ...body.meta }
    const answers = await answersFor(context, revision, sent, traceId)
    await requireTemplateBounds(context, { workspaceId, template: revision as Template, sent, before: call.found }, traceId)
    return changed(context, call, { kind: 'rebind-resource', workspaceId, template, answers })
  },
})

const start = route('PUT', maintenance, {
  summary: 'Holds messages of a Resource back from now on, or moves the end of the running window.',
  more: 'Judging goes on. Openings, problems, silences and reminders are held; recoveries and acknowledgements are sent. While it is archived: 409.',
  needs: { role: 'editor', scope: 'maintenance' },
  find: findResource,
  body: Strict({ minutes: Type.Integer({ minimum: 1, maximum: 10_080, description: 'Until the window ends by itself.' }) }),
  result: ResourceObject,
  refusals: ['409', '422 minutes'],
  examples: [{ minutes: 60 }],
  handler: (context, call) => {
    const { body, request } = call
    return changed(context, call, { kind: 'set-maintenance', minutes: body.minutes, by: request.identity.displayName })
  },
})

const end = route('DELETE', maintenance, {
  summary: 'Ends the running maintenance window.',
  more: 'Without one, or while the Resource is archived: 409.',
  needs: { role: 'editor', scope: 'maintenance' },
  find: findResource,
  result: ResourceObject,
  refusals: ['409'],
  handler: (context, call) => changed(context, call, { kind: 'end-maintenance' }),
})

export const lifecycleRoutes = [archive, rebind, start, end]
