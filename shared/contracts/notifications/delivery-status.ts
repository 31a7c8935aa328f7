// Outcomes of messages, as the log has them. Imports nothing, because browsers use it too.

/** `accepted`: the far end took the message, and does not say whether it arrived. `held`: it was not sent. */
export const deliveryStatuses = ['delivered', 'accepted', 'failed', 'held'] as const

export type DeliveryStatus = (typeof deliveryStatuses)[number]

/** Outcomes of attempts. */
export const attemptStatuses = ['delivered', 'accepted', 'failed'] as const

/** Whether the far end has the message. */
export const isTaken = (status: string): boolean => status === 'delivered' || status === 'accepted'
