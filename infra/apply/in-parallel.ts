// Bounded parallel work in the order of its items.
import { clientLimits } from '#shared/limits-of-clients.ts'

/**
 * The results in the order of `items`, with at most `requestsAtOnce` under way. After a failure nothing more begins, what runs ends, and the
 * first failure is thrown.
 */
export async function inParallel<T, R>(items: readonly T[], work: (item: T, index: number) => Promise<R>): Promise<R[]> {
  const results: R[] = []
  const failures: unknown[] = []
  let next = 0
  const lane = async () => {
    while (next < items.length && failures.length === 0) {
      const index = next++
      try {
        results[index] = await work(items[index] as T, index)
      } catch (error) {
        failures.push(error)
      }
    }
  }
  await Promise.all(Array.from({ length: Math.min(clientLimits.requestsAtOnce, items.length) }, lane))
  if (failures.length > 0) throw failures[0]
  return results
}
