// The default destination of a workspace. Directory and notifiers both use this file, so that they agree on it.
import type { DestinationDocument } from '#shared/contracts/notifications/destination.ts'

type Marked = Pick<DestinationDocument, 'default' | 'defaultAt' | 'updatedAt' | 'number'>

/**
 * Returns the destination that was marked last, among those of one workspace; undefined: none is marked. A new mark is one write of one
 * document, so the workspace always has a default. Older marks are ignored and cleared afterwards.
 */
export function defaultDestination<D extends Marked>(destinations: readonly D[]): D | undefined {
  return destinations
    .filter(destination => destination.default)
    .reduce<D | undefined>((last, one) => (last === undefined || isLater(one, last) ? one : last), undefined)
}

/** Returns the instant of the mark, ms since the epoch. Documents without `defaultAt` were marked at their last change. */
export const markedAt = (destination: Marked): number => destination.defaultAt ?? destination.updatedAt

const isLater = (one: Marked, other: Marked): boolean =>
  markedAt(one) > markedAt(other) || (markedAt(one) === markedAt(other) && one.number > other.number)
