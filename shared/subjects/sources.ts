// Sources of check results: one check of a subject at one location. A source is a text, the location's id; of every check but the subject's
// first one, a digit follows, its suffix. Documents and ids of before there were several checks therefore read as they are. Pure.
import { digitsAfterInstants, toBase62 } from '#shared/text/ids.ts'

/** Suffixes in the order in which a subject's checks get them. */
export const suffixes: readonly string[] = [
  '',
  ...Array.from({ length: 62 - digitsAfterInstants }, (_, i) => toBase62(digitsAfterInstants + i, 1)),
]

export const sourceAt = (locationId: string, suffix: string): string => locationId + suffix
