// OpenAPI documents of generations 1 and 2. The document of a generation contains all routes of that generation.
import { classicRoutes } from '../http/api.ts'
import type { Route } from '../http/route.ts'
import type { Generation } from './document.ts'
import { inBraces } from './parts.ts'
import { webhooks } from './webhooks.ts'

const envelope = 'Every answer is HTTP 200 with `{ result, error, meta }`: look at `error`, branch on its `code`.'

/**
 * Returns the route records of a prefix, each with its method and path below `/api`, such as `GET /v2/workspaces`. Path parameters stand in
 * braces.
 */
const described = (prefix: keyof typeof classicRoutes): [string, Route][] =>
  classicRoutes[prefix].map(route => [`${route.method} ${prefix}${inBraces(route.path)}`, route])

export const generations: Record<'v1' | 'v2', Generation> = {
  v1: {
    title: 'Watchkeeper API, generation 1',
    description: `Frozen and still served: it says regions and rules where generation 2 says locations and monitors. ${envelope}`,
    routes: Object.fromEntries([...described(''), ...described('/v1')]),
  },
  v2: {
    title: 'Watchkeeper API, generation 2',
    description: `Website monitors, custom subjects and notifications. ${envelope}`,
    routes: Object.fromEntries([...described(''), ...described('/v2')]),
    webhooks,
  },
}
