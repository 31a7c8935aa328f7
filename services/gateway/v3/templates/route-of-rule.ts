// A route of a rule, on which messages go to a destination. Reference: docs/reference/v3.md, 3.9 and 10.15.
import { Type } from 'typebox'
import { routeTransitions, type TemplateRoute } from '#shared/contracts/resources/template.ts'

export const RuleRoute = Type.Object({
  destination: Type.String({ examples: ['aB3dE6gH9k'] }),
  on: Type.Array(Type.Enum([...routeTransitions])),
  after_minutes: Type.Optional(Type.Integer({ description: 'Only of a route that waits.', examples: [10] })),
})

/** Only a route that waits has the member `after_minutes`. */
export const ruleRoute = ({ destination, on, afterMinutes }: TemplateRoute) => ({
  destination,
  on,
  ...(afterMinutes === undefined ? {} : { after_minutes: afterMinutes }),
})
