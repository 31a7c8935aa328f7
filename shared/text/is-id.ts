// Check of the form of an id. This check needs the library of the contracts, which ids.ts does not load.
import { idPattern } from '#shared/contracts/common.ts'

const form = new RegExp(idPattern)

/** Returns true if the text has the form of an id. If the result is false, no object has this id, so no request is needed. */
export const isId = (text: string): boolean => form.test(text)
