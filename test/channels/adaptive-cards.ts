// The library by which Teams reads and draws Adaptive Cards. It expects a browser's `window`, also where it only parses.
import { createRequire } from 'node:module'

interface Context {
  eventCount: number
  getEventAt(index: number): { message: string } | undefined
}
interface AdaptiveCards {
  AdaptiveCard: new () => { parse(card: unknown, context: Context): void; getItemCount(): number; getActionCount(): number }
  SerializationContext: new () => Context
}

const require = createRequire(import.meta.url)

/** Path of the library for a page. */
export const adaptiveCardsPath = (): string => require.resolve('adaptivecards/dist/adaptivecards.js')

/** Returns what Teams' library finds wrong in a card, and the numbers of elements and actions that it took. */
export function readCard(card: unknown): { faults: string[]; elements: number; actions: number } {
  Object.assign(globalThis, { window: globalThis })
  const { AdaptiveCard, SerializationContext } = require('adaptivecards/dist/adaptivecards.js') as AdaptiveCards
  const [read, context] = [new AdaptiveCard(), new SerializationContext()]
  read.parse(card, context)
  const faults = Array.from({ length: context.eventCount }, (_, i) => context.getEventAt(i)?.message ?? '')
  return { faults, elements: read.getItemCount(), actions: read.getActionCount() }
}
