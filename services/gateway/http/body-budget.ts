// Budget of the bytes of request bodies that the process holds at once. If the budget is spent, the holder or network with most bytes gives
// way: its oldest unfinished body is refused, and its bytes are dropped.
import { AppError } from '#shared/errors.ts'
import { type Held, Holdings } from './holdings.ts'

export interface Body {
  /** Counts bytes that arrived and are kept. They count until the response is sent, or until the body gives way. */
  keep(bytes: number): void
  /** Called when the body is complete. A complete body never gives way, because its request is being worked on. */
  complete(): void
  /** Counts the bytes no longer. Further calls do nothing. */
  release(): void
}

export interface BodyBudget {
  /** `refuse`: called once with a `busy` error if the body gives way. The bytes of the body must then be dropped. */
  begin(held: Held, refuse: (error: AppError) => void): Body
}

interface Counted extends Held {
  bytes: number
  refuse(error: AppError): void
}

/** Creates a budget of `bytesMax` bytes. */
export function createBodyBudget(bytesMax: number): BodyBudget {
  /** Bodies of which bytes are still expected. */
  const unfinished = new Holdings<Counted>()
  let kept = 0
  const giveWay = (body: Counted) => {
    unfinished.remove(body)
    kept -= body.bytes
    body.bytes = 0
    body.refuse(tooMany())
  }
  return {
    begin: ({ holder, network }, refuse) => {
      const body: Counted = { holder, network, bytes: 0, refuse }
      let isUnfinished = true
      let isOver = false
      const complete = () => {
        if (isUnfinished) unfinished.remove(body)
        isUnfinished = false
      }
      body.refuse = error => {
        isUnfinished = false
        isOver = true
        refuse(error)
      }
      return {
        keep: bytes => {
          if (isOver) return
          body.bytes += bytes
          kept += bytes
          unfinished.add(body, bytes)
          while (kept > bytesMax) {
            const [oldest = null] = unfinished.largest()?.members.keys() ?? []
            if (oldest === null) return
            giveWay(oldest)
          }
        },
        complete,
        release: () => {
          complete()
          isOver = true
          kept -= body.bytes
          body.bytes = 0
        },
      }
    },
  }
}

const tooMany = () =>
  new AppError('busy', 'Too many request bodies at once', {
    details: 'The installation receives too many request bodies at once; send the request again later',
  })
