// UUIDs in their canonical form.
import { uuidPattern } from '#shared/contracts/observations/ping.ts'

const uuid = new RegExp(uuidPattern, 'i')

/** Whether the text is a UUID, in upper or lower case. */
export const isUuid = (text: string): boolean => uuid.test(text)
