// GET /session/workspaces/{id}/template-uses: for each Template revision of the workspace, the number of Resources that are bound to it.
import { Type } from 'typebox'
import { pathPart } from '../../http/answer.ts'
import type { Route } from '../../http/route.ts'
import { member, route } from '../caller/session-route.ts'

const showUses = route('GET', '/workspaces/:workspaceId/template-uses', {
  summary: 'How many unarchived Resources live by each revision of a Template; revisions without one are left out.',
  needs: member,
  result: Type.Object({
    uses: Type.Record(Type.String(), Type.Integer({ minimum: 1 }), {
      description: 'By key@version.',
      examples: [{ 'nightly@2': 3 }],
    }),
  }),
  handler: async ({ directory }, call) => ({
    uses: await directory.ask('count-template-uses', { workspaceId: pathPart(call, 'workspaceId') }, call.traceId),
  }),
})

export const templateUseRoutes: readonly Route[] = [showUses]
