// Reads that the directory answers in pages, for whoever wants them whole.
import type { Page } from '#shared/contracts/page.ts'

/**
 * All items of all pages. `read` gets the `next` of the page before; null: from the start. It goes on reading when whoever wanted them has
 * left already: a page of 512 KiB at a time.
 */
export async function allPages<T>(read: (after: string | null) => Promise<Page<T>>): Promise<T[]> {
  const items: T[] = []
  let after: string | null = null
  do {
    const page: Page<T> = await read(after)
    for (const item of page.items) items.push(item)
    after = page.next
  } while (after !== null)
  return items
}
