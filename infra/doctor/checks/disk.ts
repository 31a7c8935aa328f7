// Free disk: under the data folder and under the store.
import { limits } from '#shared/limits/limits.ts'
import type { Room } from '#shared/store/port.ts'
import type { Facts } from '../facts.ts'
import { type Finding, fault, splitAdvice, warning, well } from '../finding.ts'
import { sizeText } from '../size-text.ts'

/** From this multiple of the bound of the operator's message on, there is nothing to say. */
const ample = 8

export function checkDisk({ folder, store, settings: { mode } }: Facts): Finding[] {
  const findings: Finding[] = []
  if (folder?.unwritable) {
    const { what, remedy } = splitAdvice(folder.unwritable)
    findings.push(fault(what, 'The store, the bus and the first key lie there.', remedy))
  }
  const keepsData = mode !== null && (mode.embeddedBus || mode.embeddedStore)
  if (keepsData && folder?.room) findings.push(judged(`The disk of ${folder.path}`, folder.room))
  if (store.kind === 'mongodb' && store.room !== null) findings.push(judged('The disk of MongoDB', store.room))
  return findings
}

function judged(what: string, room: Room): Finding {
  const { diskFreeBytes, diskShare } = limits.operator
  const least = Math.min(diskFreeBytes, room.totalBytes * diskShare)
  const said = `${what} has ${sizeText(room.freeBytes)} of ${sizeText(room.totalBytes)} free.`
  const why = 'On a full disk writes are refused: nothing is judged, while reads still work.'
  const remedy = 'Make room, or move it to a larger disk.'
  if (room.freeBytes < least) return fault(said, why, remedy)
  return room.freeBytes < ample * least ? warning(said, why, remedy) : well(said)
}
