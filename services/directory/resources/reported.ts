// Creation of a Resource by the first report or ping to its key. Two simultaneous ones create one Resource. The number of Resources is limited
// for the address or the ping key (a day) and for the workspace. Reference: docs/reference/v3.md, 8.4 and 17.7.
import type { AddressDocument, PingKeyDocument } from '#shared/contracts/account.ts'
import { noSuchRoute } from '#shared/errors.ts'
import { day, limits } from '#shared/limits/limits.ts'
import type { AskAnswerer, DirectoryContext } from '../context.ts'
import { changeGuarded, contention } from '../documents/guarded.ts'
import { livingWorkspace } from '../keys/addresses.ts'
import { adoptKey, takeOneOf } from '../subjects/names.ts'

const { resourcesPerDay } = limits.address

/**
 * Reserves a key for a new Resource, or returns the subject that has already reserved this key. A retry finds the reservation of the first
 * attempt.
 */
export const reserveReported: AskAnswerer<'reserve-reported'> = (context, { addressId, ...wanted }) =>
  reserve(context, wanted, { id: addressId, count: change => changeGuarded(context.store, 'addresses', addressId, change) })

export const reservePinged: AskAnswerer<'reserve-pinged'> = async (context, { keyId, ...wanted }) => {
  if ((await livingWorkspace(context.store, wanted.workspaceId)) === null) throw noSuchRoute()
  return reserve(context, wanted, { id: keyId, count: change => changeGuarded(context.store, 'pingKeys', keyId, change) })
}

/** Creates Resources of others: an Observation address or a ping key, which counts them. */
interface Maker {
  id: string
  count(change: <T extends AddressDocument | PingKeyDocument>(present: T | null) => T | null): Promise<unknown>
}

type Wanted = Record<'workspaceId' | 'key' | 'subjectId', string>

const reserve = (context: DirectoryContext, { workspaceId, key, subjectId }: Wanted, maker: Maker) =>
  inTurn(maker.id, async () => {
    for (let i = 0; i < limits.directory.guardedTries; i++) {
      const holder = await adoptKey(context, workspaceId, key)
      if (holder !== null) return { subjectId: holder }
      await context.requireRoom(workspaceId)
      if (!(await countMade(context, maker))) return null
      if ((await takeOneOf(context, { workspaceId, subjectId }, [key])) !== null) return { subjectId }
    }
    throw contention('the key was reserved too often at once; try again')
  })

export const requireResourceRoom: AskAnswerer<'require-resource-room'> = async ({ requireRoom }, { workspaceId }) => {
  await requireRoom(workspaceId)
  return null
}

/** Counts one more Resource that the maker created today. Returns false and counts nothing if the daily limit is reached. */
async function countMade({ clock }: Pick<DirectoryContext, 'clock'>, maker: Maker): Promise<boolean> {
  const today = Math.floor(clock.now() / day)
  let hasRoom = false
  await maker.count(present => {
    if (present === null) throw noSuchRoute()
    const count = present.made.day === today ? present.made.count : 0
    hasRoom = count < resourcesPerDay
    return hasRoom ? { ...present, made: { day: today, count: count + 1 } } : null
  })
  return hasRoom
}

/** Last queued work of each maker in this process. */
const latest = new Map<string, Promise<unknown>>()

/** Runs `work` after all earlier work for the same maker. Thus simultaneous first reports do not conflict when they change its count. */
function inTurn<T>(makerId: string, work: () => Promise<T>): Promise<T> {
  const before = latest.get(makerId) ?? Promise.resolve()
  const mine = before.catch(() => undefined).then(work)
  latest.set(makerId, mine)
  const forget = () => {
    if (latest.get(makerId) === mine) latest.delete(makerId)
  }
  mine.then(forget, forget)
  return mine
}
