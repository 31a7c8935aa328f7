// What may be an id at all. Apart from ids.ts, which threads load that do without the library of the contracts (ADR 17).
import { idPattern } from '#shared/contracts/common.ts'

const form = new RegExp(idPattern)

/** Whether the contracts take the text for an id, of whatever noun: else it names nothing, and nobody needs to be asked about it. */
export const isId = (text: string): boolean => form.test(text)
