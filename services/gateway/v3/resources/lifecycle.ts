// Commands to a Resource that do not change its settings: archive, rebind, maintenance. Reference: docs/reference/v3.md, 6.4, 6.5 and 6.7.

import { Type } from 'typebox'
import { Strict } from '#shared/contracts/common.ts'
import type { ResourceView } from '#shared/contracts/resources/resource-views.ts'
import type { AnyTemplate, Template } from '#shared/contracts/resources/template.ts'
import type { Command } from '#shared/contracts/subjects/command.ts'
import { isBuiltIn, isSystemKey, upgradedAnswers } from '#shared/manifest/system-templates.ts'
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
  more: 'Answers that both revisions take stay unless they are sent. Open Incidents close as `rule_removed`. A website monitor takes the Template with all options of its check, for good. While it is archived: 409.',
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
    const { workspaceId, found, body, traceId } = call
    const revision = await findTemplate(context, { workspaceId, reference: body.template, field: 'template' }, traceId)
    if (revision === null) throw invalid('template', `There is no Template ${body.template}`)
    const template = `${revision.key}@${revision.version}`
    const { check, usualDelays } = found
    const upgraded = check && usualDelays && upgradedAnswers(found.template ?? '', revision, check, usualDelays)
    if (upgraded === null) await requireRebindable(context, found, revision, traceId)
    const sent = { ...upgraded, ...body.meta }
    const answers = await answersFor(context, revision, sent, traceId)
    await requireTemplateBounds(context, { workspaceId, template: revision as Template, sent, before: found }, traceId)
    const replaces = upgraded === null || check === null ? {} : { replaces: check }
    return changed(context, call, { kind: 'rebind-resource', workspaceId, template, answers, ...replaces })
  },
})

/** Throws `validation` for a revision of a system Template, and for a Resource of one, unless both have its key. */
async function requireRebindable(
  context: GatewayContext,
  { workspaceId, template }: ResourceView,
  revision: AnyTemplate,
  traceId: string,
): Promise<void> {
  const [key = ''] = template?.split('@', 1) ?? []
  if (key === revision.key && !isBuiltIn(revision)) return
  if (revision.isSystem) throw invalid('template', 'No Resource is bound to a system Template')
  if (template === null || !isSystemKey(key)) return
  const present = await findTemplate(context, { workspaceId, reference: template, field: 'template' }, traceId)
  if (present?.isSystem) throw invalid('template', 'A Resource of a system Template keeps it')
}

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
