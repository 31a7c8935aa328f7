// Reader of a stream of server-sent events of generation 3 (v3 13.6). Never prints, never reconnects.
import { clientLimits } from '#shared/limits/limits-of-clients.ts'
import { ApiUnreachable } from './errors.ts'

export interface ServerEvent {
  /** Id with which a later stream continues after this event; empty: the server sent none. */
  id: string
  event: string
  data: unknown
}

/**
 * Yields the events of a response's body until the body ends. Comments of the server only show that it is alive. Throws ApiUnreachable if
 * the server is silent, or if the body is no stream of events.
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
  const { id = '', event, data } = fields
  if (event === undefined || data === undefined) return null
  try {
    return { id, event, data: JSON.parse(data) }
  } catch (error) {
    throw new ApiUnreachable(base, 'it sent an event that is no JSON', error)
  }
}
