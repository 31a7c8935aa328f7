// Creation of a Resource by the first report to its key. Two simultaneous reports create one Resource. The number of Resources is limited
// for the address (a day) and for the workspace. Reference: docs/reference/v3.md, 8.4.
import { noSuchRoute } from '#shared/errors.ts'
import { day, limits } from '#shared/limits/limits.ts'
import type { AskAnswerer, DirectoryContext } from '../context.ts'
import { changeGuarded, contention } from '../documents/guarded.ts'
import { adoptKey, takeOneOf } from '../subjects/names.ts'

const { resourcesPerDay } = limits.address

/**
 * Reserves a key for a new Resource, or returns the subject that has already reserved this key. A retry finds the reservation of the first
 * attempt.
 */
export const reserveReported: AskAnswerer<'reserve-reported'> = (context, request) => {
  const { addressId, workspaceId, key, subjectId } = request
  return inTurn(addressId, async () => {
    for (let i = 0; i < limits.directory.guardedTries; i++) {
      const holder = await adoptKey(context, workspaceId, key)
      if (holder !== null) return { subjectId: holder }
      await context.requireRoom(workspaceId)
      if (!(await countMade(context, addressId))) return null
      if ((await takeOneOf(context, { workspaceId, subjectId }, [key])) !== null) return { subjectId }
    }
    throw contention('the key was reserved too often at once; try again')
  })
}

export const requireResourceRoom: AskAnswerer<'require-resource-room'> = async ({ requireRoom }, { workspaceId }) => {
  await requireRoom(workspaceId)
  return null
}

/** Counts one more Resource that the address created today. Returns false and counts nothing if the daily limit is reached. */
async function countMade({ store, clock }: DirectoryContext, addressId: string): Promise<boolean> {
  const today = Math.floor(clock.now() / day)
  let hasRoom = false
  await changeGuarded(store, 'addresses', addressId, address => {
    if (address === null) throw noSuchRoute()
    const count = address.made.day === today ? address.made.count : 0
    hasRoom = count < resourcesPerDay
    return hasRoom ? { ...address, made: { day: today, count: count + 1 } } : null
  })
  return hasRoom
}

/** Last queued work of each address in this process. */
const latest = new Map<string, Promise<unknown>>()

/**
 * Runs `work` after all earlier work for the same address. Thus simultaneous first reports do not conflict when they change the address's
 * count.
 */
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
