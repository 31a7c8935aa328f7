// Ping address that a request to make a Resource brings along, so that senders go on with the address that they have. Reference:
// docs/reference/v3.md, 17.5.
import { randomUUID } from 'node:crypto'
import { Type } from 'typebox'
import { pushTokenPattern } from '#shared/contracts/observations/ping.ts'
import type { AnyTemplate } from '#shared/contracts/resources/template.ts'
import { AppError } from '#shared/errors.ts'
import { scheduledSignalsOf } from '#shared/manifest/read-schedule.ts'
import { idLength, randomId } from '#shared/text/ids.ts'
import type { GatewayContext } from '../../context.ts'
import { invalid } from '../common.ts'

const anyCase = '^[0-9A-Fa-f]{8}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{12}$'

export const importedFields = {
  ping_id: Type.Optional(
    Type.String({ pattern: anyCase, description: 'UUID of the ping address. For a Template with one scheduled signal alone.' }),
  ),
  push_token: Type.Optional(
    Type.String({
      pattern: pushTokenPattern,
      description: '20 to 64 letters and digits. For a Template with one scheduled signal alone.',
    }),
  ),
}

interface Imported {
  ping_id?: string | undefined
  push_token?: string | undefined
}

interface ImportedAddress {
  signal: string
  id: string
  pushToken: string
}

/** Returns the address that was sent; null: none. Throws `validation` if the Template has no scheduled signal, or several. */
export function importedAddress({ ping_id, push_token }: Imported, template: AnyTemplate): ImportedAddress | null {
  if (ping_id === undefined && push_token === undefined) return null
  const [signal, ...others] = scheduledSignalsOf(template).map(({ key }) => key)
  if (signal !== undefined && others.length === 0)
    return { signal, id: (ping_id ?? randomUUID()).toLowerCase(), pushToken: push_token ?? randomId(idLength.pushToken) }
  const field = ping_id === undefined ? 'push_token' : 'ping_id'
  throw invalid(
    field,
    `Field '${field}' is for Templates with one scheduled signal; ${template.key} has ${signal ? 'several' : 'none'}`,
  )
}

/**
 * Reserves the address, then runs `create`. If `create` fails, the address is free again. Throws `taken` with the field if another Resource
 * has it.
 */
export async function withAddress<T>(
  { directory }: Pick<GatewayContext, 'directory'>,
  of: { workspaceId: string; subjectId: string; address: ImportedAddress | null },
  create: () => Promise<T>,
  traceId: string,
): Promise<T> {
  const { workspaceId, subjectId, address } = of
  if (address === null) return create()
  await directory.ask('reserve-ping-address', { workspaceId, subjectId, ...address }, traceId)
  return create().catch(async (error: unknown) => {
    // After an unknown outcome the Resource may exist, and keeps its address.
    const isRefused = error instanceof AppError && !error.retryable
    if (isRefused) await directory.ask('release-ping-address', { subjectId, id: address.id }, traceId).catch(() => null)
    throw error
  })
}
