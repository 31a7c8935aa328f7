// Check of subject ids in paths and filters. A text that cannot be an id matches nothing, and the directory is not asked.
import { idLength } from '#shared/text/ids.ts'

const form = new RegExp(`^[0-9A-Za-z]{${idLength.subject}}$`)

export const isSubjectId = (text: string): boolean => form.test(text)
