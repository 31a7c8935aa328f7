// Ids in paths and filters come from outside: what cannot be one of ours names nothing, and nobody is asked about it.
import { idPattern } from '#shared/contracts/common.ts'
import { idLength } from '#shared/ids.ts'

const form = new RegExp(`^[0-9A-Za-z]{${idLength.subject}}$`)

const contractForm = new RegExp(idPattern)

/** Whether the inside would read it as an id of any noun at all. */
export const isContractId = (text: string): boolean => contractForm.test(text)

export const isSubjectId = (text: string): boolean => form.test(text)
