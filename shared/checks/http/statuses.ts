// Accepted statuses of a check over HTTP: texts such as `200` or `200-299`. Pure.

/** Both ends are accepted. */
export type StatusRange = readonly [from: number, to: number]

/** Returns the statuses that a text means, 100 to 599; null: it means none. */
export function statusRange(text: string): StatusRange | null {
  const [, first, last = first] = /^([1-5]\d\d)(?:-([1-5]\d\d))?$/.exec(text) ?? []
  const range = [Number(first), Number(last)] as const
  return range[0] <= range[1] ? range : null
}

export const isStatusRange = (text: string): boolean => statusRange(text) !== null
