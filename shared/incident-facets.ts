// Whether an Incident is open, confirmed, acknowledged, as one number: lists of generation 3 find every mix of the three by one index.
// Rule: docs/reference/v3.md, 9.5.

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

/** The numbers of all that fit; null fits both. */
export function facetsWithin(wanted: { [F in keyof Facets]: boolean | null }): number[] {
  const fits = (facets: Facets) =>
    (Object.keys(facets) as (keyof Facets)[]).every(name => wanted[name] === null || wanted[name] === facets[name])
  return all.filter(fits).map(facetsOf)
}
