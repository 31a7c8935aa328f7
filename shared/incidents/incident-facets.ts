// Open, confirmed and acknowledged of an Incident, packed into one number: a single index serves lists of generation 3 with any combination
// of the three. Rule: docs/reference/v3.md, 9.5.

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

/** Returns the numbers of all matching combinations; null matches both values. */
export function facetsWithin(wanted: { [F in keyof Facets]: boolean | null }): number[] {
  const fits = (facets: Facets) =>
    (Object.keys(facets) as (keyof Facets)[]).every(name => wanted[name] === null || wanted[name] === facets[name])
  return all.filter(fits).map(facetsOf)
}
