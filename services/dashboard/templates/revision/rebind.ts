// Binds the Resources of one revision to another revision. Sends one request for every Resource, so that a new run can continue a stopped
// run. Reference: docs/reference/v3.md, 6.5.
import { inParallel } from '#shared/async/in-parallel.ts'
import { askV3, sentenceOf } from '../../data/api.ts'
import { counted } from '../../data/format.ts'
import { type PageOf, readAllPages, readPageOf } from '../../data/paged.ts'
import { inWorkspace } from '../template.ts'

export interface BoundResource {
  id: string
  key: string
  open_incident: object | null
}

/** Largest number of simultaneous requests. A browser opens six connections per origin, and the event stream uses one. */
const atOnce = 4

type ReadPage = (cursor: string | null) => Promise<PageOf<BoundResource>>

const pagesOf =
  (revision: string): ReadPage =>
  cursor =>
    readPageOf(inWorkspace(`/resources?template=${encodeURIComponent(revision)}&limit=200`), cursor)

/** Returns every unarchived Resource of a revision. Rejects with a Refusal. */
export const readBound = (revision: string, readPage: ReadPage = pagesOf(revision)): Promise<BoundResource[]> =>
  readAllPages(readPage)

const bindOne = (to: string) => (id: string) =>
  askV3<unknown>('POST', inWorkspace(`/resources/${encodeURIComponent(id)}/rebind`), { template: to })

/**
 * Resolves when all Resources are bound. `onDone` is called with the number of Resources bound so far. After a failure, waits for the
 * pending requests, then rejects with an Error whose message is a sentence.
 */
export async function rebindAll(
  resources: readonly BoundResource[],
  to: string,
  onDone: (done: number) => void,
  bind: (id: string) => Promise<unknown> = bindOne(to),
): Promise<void> {
  let done = 0
  await inParallel(resources, atOnce, async ({ id, key }) => {
    try {
      await bind(id)
    } catch (error) {
      throw new Error(
        `${done} of ${counted(resources.length, 'monitor')} ${done === 1 ? 'is' : 'are'} bound to ${to}. ${key} was not: ${sentenceOf(error)} Run it again to go on.`,
      )
    }
    done += 1
    onDone(done)
  })
}
