// Resources that first reports make: two reports of one key make one Resource, within the bounds of the address and of the workspace.
// Rule: docs/reference/v3.md, 8.4.
import type { AskRequest, AskResults } from '#shared/contracts/ask/ask.ts'
import { AppError } from '#shared/errors.ts'
import { day, limits } from '#shared/limits/limits.ts'
import type { DirectoryContext } from '../context.ts'
import { changeGuarded } from '../documents/guarded.ts'
import { adoptKey, takeOneOf } from '../subjects/names.ts'

const { resourcesPerDay } = limits.address

/** A repeat of the question finds the reservation of the first. */
export function reserveReported(
  context: DirectoryContext,
  request: AskRequest<'reserve-reported'>,
): Promise<AskResults['reserve-reported']> {
  const { addressId, workspaceId, key, subjectId } = request
  return inTurn(addressId, async () => {
    for (let i = 0; i < limits.directory.guardedTries; i++) {
      const holder = await adoptKey(context, workspaceId, key)
      if (holder !== null) return { subjectId: holder }
      await context.requireRoom(workspaceId)
      if (!(await countMade(context, addressId))) return null
      if ((await takeOneOf(context, { workspaceId, subjectId }, [key])) !== null) return { subjectId }
    }
    throw new AppError('unavailable', 'Too much contention', { details: 'the key was reserved too often at once; try again' })
  })
}

export async function requireResourceRoom(
  { requireRoom }: DirectoryContext,
  { workspaceId }: AskRequest<'require-resource-room'>,
): Promise<null> {
  await requireRoom(workspaceId)
  return null
}

/** Counts one more Resource of the address today. False: it has made as many as it may, and nothing was counted. */
async function countMade({ store, clock }: DirectoryContext, addressId: string): Promise<boolean> {
  const today = Math.floor(clock.now() / day)
  let hasRoom = false
  await changeGuarded(store, 'addresses', addressId, address => {
    if (address === null) throw new AppError('not_found', 'Not found', { details: 'There is no such route' })
    const count = address.made.day === today ? address.made.count : 0
    hasRoom = count < resourcesPerDay
    return hasRoom ? { ...address, made: { day: today, count: count + 1 } } : null
  })
  return hasRoom
}

/** The latest work of each address in this process. */
const latest = new Map<string, Promise<unknown>>()

/** Runs the work of one address after its earlier work: many first reports at once must not overtake each other's count. */
function inTurn<T>(addressId: string, work: () => Promise<T>): Promise<T> {
  const before = latest.get(addressId) ?? Promise.resolve()
  const mine = before.catch(() => undefined).then(work)
  latest.set(addressId, mine)
  const forget = () => {
    if (latest.get(addressId) === mine) latest.delete(addressId)
  }
  mine.then(forget, forget)
  return mine
}
