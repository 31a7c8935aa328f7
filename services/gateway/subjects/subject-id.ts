// Check of subject ids in paths and filters. For a text that cannot be an id, the directory is not asked, and the response is the same as
// for an unknown id.
import { idLength } from '#shared/text/ids.ts'

const form = new RegExp(`^[0-9A-Za-z]{${idLength.subject}}$`)

export const isSubjectId = (text: string): boolean => form.test(text)
