// Parallel work on a list of items, with a bounded number of concurrent calls. Pure, because a browser loads this file too.

/**
 * Returns the results in the order of `items`, with at most `atOnce` calls of `work` at a time. After a failed call, no further call
 * begins. When the running calls have ended, throws the error of the first failed call.
 */
export async function inParallel<T, R>(
  items: readonly T[],
  atOnce: number,
  work: (item: T, index: number) => Promise<R>,
): Promise<R[]> {
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
  await Promise.all(Array.from({ length: Math.min(atOnce, items.length) }, lane))
  if (failures.length > 0) throw failures[0]
  return results
}
