// Which destination of a workspace is its default: directory and notifiers have to agree on it.
import type { DestinationDocument } from '#shared/contracts/destination.ts'

type Marked = Pick<DestinationDocument, 'default' | 'defaultAt' | 'updatedAt' | 'number'>

/**
 * Of these destinations of one workspace the one marked last; undefined where none is marked. Marking is one write of one document,
 * so that there is never a moment without a default: an older mark counts for nothing and is cleared afterwards.
 */
export function defaultDestination<D extends Marked>(destinations: readonly D[]): D | undefined {
  return destinations
    .filter(destination => destination.default)
    .reduce<D | undefined>((last, one) => (last === undefined || isLater(one, last) ? one : last), undefined)
}

/** Since when it is marked, ms since the epoch. Documents written before there was `defaultAt` were marked at their last change. */
export const markedAt = (destination: Marked): number => destination.defaultAt ?? destination.updatedAt

const isLater = (one: Marked, other: Marked): boolean =>
  markedAt(one) > markedAt(other) || (markedAt(one) === markedAt(other) && one.number > other.number)
