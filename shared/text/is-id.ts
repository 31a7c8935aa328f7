// Check of the form of an id. Separate from ids.ts, which does not load the library of the contracts.
import { idPattern } from '#shared/contracts/common.ts'

const form = new RegExp(idPattern)

/** Returns true if the text may be an id of any noun. Any other text names nothing, so no request is needed. */
export const isId = (text: string): boolean => form.test(text)
