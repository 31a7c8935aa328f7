// Payload transformations of a workspace (spec D 2), as destinations refer to them.
import type { TransformationDocument } from '#shared/contracts/transformation.ts'
import type { Store } from '#shared/store/port.ts'

/** Null where the workspace has none of this number. */
export async function findTransformation(
  store: Store,
  workspaceId: string,
  number: number,
): Promise<TransformationDocument | null> {
  const [found = null] = await store.find('transformations', { where: { workspaceId, number }, limit: 1 })
  return found
}
