// Which function answers which question about Resources (shared/contracts/ask-resources.ts).
import { reserveKey } from './names.ts'
import { listObservations } from './observation-log.ts'
import { getResource, listResources, resolveResources } from './resources.ts'

export const resourceAnswerers = {
  'get-resource': getResource,
  'resolve-resources': resolveResources,
  'list-resources': listResources,
  'list-observations': listObservations,
  'reserve-key': reserveKey,
}
