// Reads in pages. Each page contains the position of the next page.

interface Page<T, Next> {
  items: T[]
  /** Position of the next page; null: this is the last page. */
  next: Next | null
}

/**
 * Yields the items of each page in turn. `read` gets the `next` of the previous page, null for the first page. A page is read only when the
 * caller needs its items.
 */
export async function* pages<T, Next = string>(read: (after: Next | null) => Promise<Page<T, Next>>): AsyncGenerator<T[]> {
  let after: Next | null = null
  do {
    const page: Page<T, Next> = await read(after)
    yield page.items
    after = page.next
  } while (after !== null)
}

/** Returns the items of all pages. Reads every page, and cannot be cancelled. */
export async function allPages<T>(read: (after: string | null) => Promise<Page<T, string>>): Promise<T[]> {
  const items: T[] = []
  for await (const page of pages(read)) for (const item of page) items.push(item)
  return items
}
