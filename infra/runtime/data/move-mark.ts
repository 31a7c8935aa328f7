// Mark of a move in the settings of a store, which a start reads first. Pure.

export const moveMarkId = 'move'

export interface MoveMark {
  /** Id of the move, the same at both sides. */
  id: string
  /**
   * `arriving`: the store is the target of a move that is not complete. `arrived`: the move to this store is complete. `leaving`: everything
   * is at the target, which may not be used yet. `left`: the target is in use.
   */
  state: 'arriving' | 'arrived' | 'leaving' | 'left'
  installationId: string
  /** Name of the other side for people, without secrets. */
  other: string
  /** Instant of this state, ms since the epoch. */
  at: number
  /** Digest of the salt of incident ids that is in effect; null: none is known. Only of a target. */
  salt?: string | null
}

export function markOfMove(text: string): MoveMark {
  return JSON.parse(text) as MoveMark
}

/** Returns why a start on a store with this mark is refused, a sentence; null: it is not. `name`: the store, at the beginning of a sentence. */
export function refusalByMark(name: string, mark: MoveMark | null): string | null {
  if (mark === null || mark.state === 'arrived') return null
  const again = 'run the same ./watchkeeper move again, which goes on where it ended'
  if (mark.state === 'arriving') return `${name} is the target of a move from ${mark.other} that is not complete: ${again}.`
  if (mark.state === 'leaving') return `${name} was moved to ${mark.other}, but the move is not complete: ${again}.`
  const day = new Date(mark.at).toISOString().slice(0, 10)
  return `${name} was moved to ${mark.other} on ${day}, and is not used any longer: start Watchkeeper there (docs/moving.md).`
}
