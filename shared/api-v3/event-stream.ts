// Reader of a stream of server-sent events of generation 3. Never prints, never reconnects. Reads the form that v3 13.6 promises, which is a
// part of server-sent events: lines end with a line feed, and an event has one line of data.
import { clientLimits } from '#shared/limits/limits-of-clients.ts'
import { ApiUnreachable } from './errors.ts'
import { parseObject } from './exchange.ts'

export interface ServerEvent {
  /** Id with which a later stream continues after this event; empty: the server sent none. */
  id: string
  event: string
  data: Record<string, unknown>
}

/**
 * Yields the events of a response's body until the body ends. Calls `alive` for each part that arrives, also for a part that has only
 * comments. Throws ApiUnreachable for an event that is too large or whose data is no JSON object.
 */
export async function* eventsOf(body: AsyncIterable<Uint8Array>, base: string, alive: () => void): AsyncGenerator<ServerEvent> {
  const decoder = new TextDecoder()
  let text = ''
  for await (const part of body) {
    alive()
    text += decoder.decode(part, { stream: true })
    const blocks = text.split('\n\n')
    text = blocks.pop() ?? ''
    if (text.length > clientLimits.eventCharacters) throw new ApiUnreachable(base, 'its event is too large')
    for (const block of blocks) {
      const event = eventOf(block, base)
      if (event !== null) yield event
    }
  }
}

/** Returns the event of a block of lines. Null: the block has only comments or settings of the stream. */
function eventOf(block: string, base: string): ServerEvent | null {
  const fields: Record<string, string> = {}
  for (const line of block.split('\n')) {
    const colon = line.indexOf(':')
    if (colon > 0) fields[line.slice(0, colon)] = line.slice(colon + 1).trimStart()
  }
  const { id = '', event, data: text } = fields
  if (event === undefined || text === undefined) return null
  const data = parseObject(text)
  if (data === null) throw new ApiUnreachable(base, 'it sent an event whose data is no JSON object')
  return { id, event, data }
}
