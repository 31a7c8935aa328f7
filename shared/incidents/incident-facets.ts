// Three facts of an Incident (is open, is confirmed, is acknowledged) packed into one number, so that one index serves lists with any
// combination of the three. Reference: docs/reference/v3.md, 9.5.

export interface Facets {
  isOpen: boolean
  isConfirmed: boolean
  isAcknowledged: boolean
}

export const facetsOf = ({ isOpen, isConfirmed, isAcknowledged }: Facets): number =>
  Number(isOpen) + 2 * Number(isConfirmed) + 4 * Number(isAcknowledged)

const both = [false, true]
const all: readonly Facets[] = both.flatMap(isOpen =>
  both.flatMap(isConfirmed => both.map(isAcknowledged => ({ isOpen, isConfirmed, isAcknowledged }))),
)

/** Returns the numbers of all combinations that match `wanted`. A fact that is null in `wanted` may be true or false. */
export function facetsWithin(wanted: { [F in keyof Facets]: boolean | null }): number[] {
  const fits = (facets: Facets) =>
    (Object.keys(facets) as (keyof Facets)[]).every(name => wanted[name] === null || wanted[name] === facets[name])
  return all.filter(fits).map(facetsOf)
}
