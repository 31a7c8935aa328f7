// /v1/rules: website monitors under their name in generation 1, and the acknowledgement of their incidents (reference/website-monitors 1.1;
// reference/incidents 6).
import { type Static, Type } from 'typebox'
import type { WebsiteView } from '#shared/contracts/subjects/subject-views.ts'
import { refusal } from '#shared/errors.ts'
import { limits } from '#shared/limits/limits.ts'
import { isId } from '#shared/text/is-id.ts'
import { Maybe } from '../body/field-values.ts'
import { requireMember, roleIn } from '../callers/access.ts'
import type { GatewayContext } from '../context.ts'
import type { Call } from '../http/answer.ts'
import type { Route } from '../http/route.ts'
import { acknowledgeRoute } from '../subjects/acknowledge.ts'
import type { ClassicRefusal } from '../v2/classic-route.ts'
import { accessDenied, invalid, missingWorkspace } from '../v2/refusals.ts'
import { inWorkspaceExample, slowerExample, websiteExample } from '../website/example.ts'
import type { WebsiteFamily, WebsiteInput } from '../website/family.ts'
import { findWebsite, websiteRoutes } from '../website/routes.ts'
import { InWorkspace, PlacesBody, SettingsBody, settingsOf } from '../website/settings.ts'
import { MonitorObject, settingsObject } from '../website/settings-object.ts'

/** A rule of generation 1 has `regions`, but no `agreement`. A sent `agreement` is ignored like any unknown field. */
const fields = { ...SettingsBody.properties, regions: Maybe(PlacesBody) }
const CreateRuleBody = Type.Object({ ...fields, ...InWorkspace }, { $id: 'CreateRule' })
const UpdateRuleBody = Type.Object(fields, { $id: 'UpdateRule' })

const readRule = (sent: Static<typeof UpdateRuleBody>): WebsiteInput => ({
  ...settingsOf(sent),
  places: sent.regions ?? [],
  failureMode: null,
})

const ruleObject = (website: WebsiteView, namesOf: (ids: readonly string[]) => string[]) => ({
  ...settingsObject(website, 'rule'),
  regions: namesOf(website.check.locations),
  kind: 'rule',
})

const ofRule: readonly ClassicRefusal[] = ['2002 Rule not found', '2004 Custom subjects are managed elsewhere']
const wholeMinutes = `Whole minutes, ${limits.website.intervalSecondsMin} to ${limits.website.intervalSecondsMax} s.`

const rules: WebsiteFamily = {
  path: '/rules',
  idPart: 'uid',
  idField: 'rule_id',
  placeField: 'regions',
  placeWord: 'region',
  notFound: { message: 'Rule not found', details: 'Rule does not exist or access denied' },
  deletedMessage: 'Rule deleted successfully',
  bodies: { create: CreateRuleBody, update: UpdateRuleBody },
  result: MonitorObject('Rule', 'rule', { regions: Type.Array(Type.String()) }),
  words: {
    list: { summary: 'The rules of a workspace.', refusals: [missingWorkspace, accessDenied, '2002 Workspace not found'] },
    create: {
      summary: 'Stores a rule, which is checked from then on.',
      more: `Regions are names; with none, nothing is checked. ${wholeMinutes}`,
      refusals: [invalid, '2001 Name used too often', '2001 invalid regions', accessDenied],
      examples: [{ ...websiteExample, ...inWorkspaceExample, regions: ['local'] }],
    },
    get: { summary: 'A rule.', refusals: ofRule },
    update: {
      summary: 'Replaces a rule wholly.',
      more: 'What is left out is not kept: without `regions` the rule is no longer checked.',
      refusals: [invalid, '2001 invalid regions', accessDenied, ...ofRule],
      examples: [{ ...slowerExample, regions: ['local'] }],
    },
    delete: { summary: 'Removes a rule with its subject, signal and history.', refusals: [accessDenied, ...ofRule] },
  },
  read: readRule,
  object: ruleObject,
  requireListable,
}

const acknowledge = acknowledgeRoute({
  path: '/rules/:uid/incidents/:incident/acknowledge',
  name: 'IncidentAcknowledgement',
  ids: { monitor_id: Type.String() },
  refusals: ofRule,
  findSubject: (context, call) => findWebsite({ context, family: rules, call }),
  idsOf: ({ id }) => ({ monitorId: id }),
})

export const ruleRoutes: readonly Route[] = [...websiteRoutes(rules), acknowledge]

/**
 * Throws if the caller may not list the workspace. Only this list has different refusals for a missing workspace and for a workspace of
 * which the caller is not a member (reference/website-monitors 4.1).
 */
async function requireListable({ directory }: GatewayContext, { request, traceId }: Call, workspaceId: string): Promise<void> {
  if (roleIn(request.identity, workspaceId) !== null) return
  if (isId(workspaceId) && (await directory.ask('workspace-exists', { workspaceId }, traceId))) {
    requireMember(request.identity, workspaceId)
  }
  throw refusal('not_found', 'Workspace not found', 'There is no workspace of this id')
}
