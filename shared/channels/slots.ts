// Slots: places of secrets and addresses in a rendered request. Pure.
import type { Slot, Slotted } from '#shared/contracts/notifications/delivery.ts'
import type { Settings } from './port.ts'

export const slot = (key: string): Slot => ({ slot: key })

/** Returns the text with the values of its slots. The slot of an unset setting is empty. */
export const filled = (text: Slotted, values: Settings): string =>
  typeof text === 'string' ? text : text.map(part => (typeof part === 'string' ? part : String(values[part.slot] ?? ''))).join('')
