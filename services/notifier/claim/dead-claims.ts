// Claims of notifiers that no longer run.
import { limits } from '#shared/limits/limits.ts'
import { pagesOf } from '#shared/store/pages.ts'
import type { Query } from '#shared/store/port.ts'
import type { NotifierContext } from '../context.ts'
import { asReached, nextRevision } from '../record/delivery-document.ts'

const { batch, claimMs, scanPages } = limits.notifier

/**
 * Releases the claims of notifiers that no longer run, so that the claimed messages are sent at once. Best effort, because a claim that is
 * not released ends by itself.
 */
export async function releaseDeadClaims({ store, clock, logger, options }: NotifierContext): Promise<void> {
  const dead = new Set(options.deadNotifiers ?? [])
  if (dead.size === 0) return
  try {
    let released = 0
    let pages = 0
    const at = clock.now()
    const claimed: Query = {
      where: { open: 1, dueAt: { gt: at, lte: at + claimMs } },
      sort: [['dueAt', 'asc']],
      limit: batch,
    }
    for await (const page of pagesOf(claimed, query => store.find('deliveries', query))) {
      const steps = page.flatMap(document => {
        if (document.claimedBy === null || !dead.has(document.claimedBy)) return []
        const step = nextRevision(asReached(document), [{ type: 'claim.released', at }], options.notifierId)
        return step === null ? [] : [step.document]
      })
      const results = await store.replace('deliveries', steps)
      released += results.filter(result => result === 'written').length
      if (++pages >= scanPages) break
    }
    if (released > 0) logger.info({ deliveries: released }, 'claims of a dead notifier given back')
  } catch (error) {
    logger.warn({ err: error }, 'claims of a dead notifier could not be given back')
  }
}
