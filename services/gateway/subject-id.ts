// Ids of subjects in paths and filters come from outside: what cannot be one of ours names nothing, and nobody is asked about it.
import { idLength } from '#shared/ids.ts'

const form = new RegExp(`^[0-9A-Za-z]{${idLength.subject}}$`)

export const isSubjectId = (text: string): boolean => form.test(text)
