// Check that every refusal in a test is listed in the API document of the called route.
import { refusalsOf } from '../../../services/gateway/openapi/document.ts'
import { generations } from '../../../services/gateway/openapi/generations.ts'
import type { Answer, CallOptions } from '../worlds/api-world.ts'

interface Front {
  call(method: string, path: string, options?: CallOptions): Promise<Answer>
}

const described = Object.entries({ ...generations.v1.routes, ...generations.v2.routes }).map(([route, description]) => {
  const [method = '', path = ''] = route.split(' ')
  const pattern = new RegExp(`^/api${path.replaceAll(/[{]\w+[}]/g, '[^/]+')}$`)
  return { method, pattern, parameters: path.split('{').length, refusals: new Set<string>(refusalsOf(description)) }
})

/**
 * Returns a client of the API, and the list of undocumented refusals. If a called route sends a refusal that the OpenAPI document does not
 * list for the route, the list gets an entry such as `2002 Rule not found`.
 */
export function watchRefusals<T extends Front>(front: T): { front: T; undocumented: string[] } {
  const undocumented: string[] = []
  const call: Front['call'] = async (method, path, options) => {
    const answer = await front.call(method, path, options)
    const error: { code: number; message: string } | null | undefined = answer.json?.error
    if (!error) return answer
    const refusal = `${error.code} ${error.message}`
    const fitting = described.filter(route => route.method === method && route.pattern.test(path.replace(/[?].*/, '')))
    const [route] = fitting.toSorted((a, b) => a.parameters - b.parameters)
    if (route && !route.refusals.has(refusal)) undocumented.push(`${method} ${path}: ${refusal}`)
    return answer
  }
  return { front: { ...front, call }, undocumented }
}
