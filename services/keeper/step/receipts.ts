// What a subject remembers of the commands it was given, so that a repeated one gets its first answer. Pure.
import type { Receipt } from '#shared/contracts/subject.ts'
import { limits } from '#shared/limits.ts'

/** With one more: the last 16 answers and the last 1,024 stamps of reports. Reports are many, and push out no answer. */
export function remembered(receipts: readonly Receipt[], added: Receipt): Receipt[] {
  const { receipts: answersMax, stamps } = limits.keeper
  const isStamp = added.reply === null
  const recent = receipts.filter(receipt => receipt.id !== added.id && isAwaited(receipt, added.at))
  let over = recent.filter(({ reply }) => (reply === null) === isStamp).length + 1 - (isStamp ? stamps : answersMax)
  return [...recent.filter(({ reply }) => (reply === null) !== isStamp || over-- <= 0), added]
}

/** Without those that nobody can ask for any more; the same list where there are none. */
export function stillAwaited(receipts: Receipt[], now: number): Receipt[] {
  return receipts.every(receipt => isAwaited(receipt, now)) ? receipts : receipts.filter(receipt => isAwaited(receipt, now))
}

/** None is kept longer than a client waits. */
function isAwaited({ at, reply }: Receipt, now: number): boolean {
  return now - at < (reply === null ? limits.keeper.stampAgeMs : limits.keeper.receiptAgeMs)
}
