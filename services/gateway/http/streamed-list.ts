// Lists without pages in generations 1 and 2. A list of any length is sent while it is read, page by page, so that neither its time nor its
// memory grows with it. The bytes of the body are those of the whole list in one piece. A list of one page is sent in one piece.
import { Readable } from 'node:stream'
import type { FastifyReply } from 'fastify'
import type { Logger } from '#shared/observability/logger.ts'

/** A list whose first pages were read. The others are read while it is sent. */
export class StreamedList {
  readonly read: readonly unknown[]
  readonly rest: AsyncIterator<readonly unknown[]>

  constructor(read: readonly unknown[], rest: AsyncIterator<readonly unknown[]>) {
    this.read = read
    this.rest = rest
  }
}

/** Reads up to two pages. Returns the whole list if it has no further page. Rejects if one of these pages cannot be read. */
export async function listOf<T>(pages: AsyncGenerator<T[]>): Promise<T[] | StreamedList> {
  const items: T[] = []
  for (let read = 0; read < 2; read++) {
    const page = await pages.next()
    if (page.done === true) return items
    items.push(...page.value)
  }
  return new StreamedList(items, pages)
}

export interface SendOptions {
  /** The response to an empty list, around whose items the list is written. */
  empty: object
  /** Reads one page with the time limit of a request. */
  within<T>(reading: Promise<T>): Promise<T>
  logger: Logger
}

/**
 * Sends a list. An error before its first byte is the caller's, and is answered as a refusal. After the first byte a refusal can no longer be
 * sent: if a later page cannot be read, the connection is cut, so that the client sees an incomplete response and no shorter list.
 */
export function sendList(reply: FastifyReply, list: StreamedList, options: SendOptions): FastifyReply {
  void reply.header('content-type', 'application/json; charset=utf-8')
  return reply.send(Readable.from(textOf(list, options), { objectMode: false }))
}

async function* textOf({ read, rest }: StreamedList, { empty, within, logger }: SendOptions): AsyncGenerator<string> {
  const [head = '', tail = ''] = JSON.stringify(empty).split('[]')
  try {
    yield `${head}[`
    let separator = ''
    for (let page = read; ; ) {
      if (page.length > 0) {
        yield `${separator}${JSON.stringify(page).slice(1, -1)}`
        separator = ','
      }
      const next = await within(rest.next())
      if (next.done === true) break
      page = next.value
    }
    yield `]${tail}`
  } catch (error) {
    logger.warn({ err: error }, 'list cut off: a later page could not be read')
    throw error
  } finally {
    // If the client has gone, the pages that it does not take are not read.
    await rest.return?.()
  }
}
