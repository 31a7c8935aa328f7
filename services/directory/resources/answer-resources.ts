// Which function answers which question about Resources (shared/contracts/ask/ask-resources.ts).
import { reserveKey } from '../subjects/names.ts'
import { listObservations } from '../subjects/observation-log.ts'
import { getResource, listResources, resolveResources } from './resources.ts'

export const resourceAnswerers = {
  'get-resource': getResource,
  'resolve-resources': resolveResources,
  'list-resources': listResources,
  'list-observations': listObservations,
  'reserve-key': reserveKey,
}
