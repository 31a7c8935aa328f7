// Creation of the Resource that a ping with `create=1` names. Two pings at once make one. Reference: docs/reference/v3.md, 17.7.
import { AppError } from '#shared/errors.ts'
import { heartbeatCheck } from '#shared/schedule/heartbeat-check.ts'
import { idLength, randomId } from '#shared/text/ids.ts'
import type { GatewayContext } from '../context.ts'
import { commandId } from '../subjects/command-id.ts'

interface MissingResource {
  workspaceId: string
  /** Id of the ping key. */
  keyId: string
  /** Key and name of the new Resource. */
  slug: string
}

const template = `${heartbeatCheck}@1`

/**
 * Returns whether this call made the Resource, or null if none may be made: of the ping key or the workspace are too many, or the ping key is
 * deleted.
 */
export async function createPinged(
  { directory, keeper }: Pick<GatewayContext, 'directory' | 'keeper'>,
  { workspaceId, keyId, slug }: MissingResource,
  traceId: string,
): Promise<{ isMade: boolean } | null> {
  try {
    const asked = { keyId, workspaceId, key: slug, subjectId: randomId(idLength.subject) }
    const reserved = await directory.ask('reserve-pinged', asked, traceId)
    if (reserved === null) return null
    const made = { id: commandId(), workspaceId, slug, name: slug, template, answers: {}, labels: {} }
    await keeper.send(reserved.subjectId, { kind: 'create-resource', ...made }, traceId)
    return { isMade: true }
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    if (error.code === 'invalid_state') return { isMade: false }
    if (error.code === 'validation' || error.code === 'not_found') return null
    throw error
  }
}
