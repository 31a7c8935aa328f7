// Lists of generation 3 that say what this installation knows, such as types of destinations. Their items have a type instead of an id.
import { ApiUnreachable } from '#shared/api-v3/errors.ts'
import type { Api } from './with-api.ts'

/** Returns the items at `path`. `parts`: the member of each item that is a list. Throws the errors of the API's client. */
export async function listedTypes<T>(api: Api, path: string, parts: keyof T & string): Promise<T[]> {
  const listed = await api.call({ method: 'GET', path })
  if (Array.isArray(listed) && listed.every(one => typeof one.type === 'string' && Array.isArray(one[parts]))) return listed
  throw new ApiUnreachable(api.url, 'it returned no list of types where one was expected')
}
