// Sender of an incident's records to the Stately inspector in a separate window: all records from the first one, then each new record.
// Messages are sent only to the inspector's origin.

export const inspectorOrigin = 'https://stately.ai'
const inspectorPath = '/inspect'

interface InspectionPage {
  messages: readonly unknown[]
  more: boolean
}

export interface Inspection {
  /** Sends the messages of records that are newer than the last sent record. */
  sendNews(): Promise<void>
  end(): void
}

interface Listening {
  /** Called with the number of messages sent so far. */
  onSent(count: number): void
  onFailure(error: unknown): void
}

/** The part of a window that this file uses. */
export interface Opener {
  open(url: string, target: string): { postMessage(message: unknown, origin: string): void } | null
  addEventListener(name: 'message', listener: (event: MessageEvent) => void): void
  removeEventListener(name: 'message', listener: (event: MessageEvent) => void): void
}

/**
 * Opens the inspector. Returns null if the browser opened no window. `readAfter` reads the messages of records with a sequence above its
 * argument.
 */
export function startInspection(
  opener: Opener,
  readAfter: (sequence: number) => Promise<InspectionPage>,
  { onSent, onFailure }: Listening,
): Inspection | null {
  const popup = opener.open(`${inspectorOrigin}${inspectorPath}`, 'stately-inspector')
  if (popup === null) return null
  let sent = 0
  let records = 0
  let isConnected = false
  let queue = Promise.resolve()

  const send = async () => {
    for (let more = true; more && isConnected; ) {
      const page = await readAfter(records)
      for (const message of page.messages) popup.postMessage(message, inspectorOrigin)
      sent += page.messages.length
      records += page.messages.filter(isSnapshot).length
      more = page.more && page.messages.length > 0
      if (page.messages.length > 0) onSent(sent)
    }
  }
  const sendNews = () => {
    queue = queue.then(send).catch(onFailure)
    return queue
  }
  const listener = (event: MessageEvent) => {
    const isInspector = event.origin === inspectorOrigin && event.source === (popup as unknown)
    if (!isInspector || (event.data as { type?: unknown } | null)?.type !== '@statelyai.connected') return
    // The inspector's page may have been reloaded. Then it has none of the earlier messages, so all messages are sent again.
    isConnected = true
    sent = 0
    records = 0
    void sendNews()
  }
  opener.addEventListener('message', listener)
  return {
    sendNews,
    end: () => {
      isConnected = false
      opener.removeEventListener('message', listener)
    },
  }
}

/**
 * Returns true for a snapshot message. A record has one snapshot message, so the number of snapshots is the sequence of the last sent
 * record.
 */
const isSnapshot = (message: unknown): boolean => (message as { type?: unknown }).type === '@xstate.snapshot'
