// Value of a gateway's entry in the presence bucket.
import { isObject } from '#shared/json-shape/is-object.ts'

/** Returns the value. `untrustedProxy`: address from which requests with X-Forwarded-For come, though TRUST_PROXY does not name it. */
export const gatewaySign = (untrustedProxy: string | null): object => (untrustedProxy === null ? {} : { untrustedProxy })

/** Returns the address in the value; null: this gateway has seen no such proxy. */
export function untrustedProxyIn(value: unknown): string | null {
  const address = isObject(value) ? value['untrustedProxy'] : null
  return typeof address === 'string' ? address : null
}
